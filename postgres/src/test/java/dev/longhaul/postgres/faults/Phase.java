package dev.longhaul.postgres.faults;

import dev.longhaul.postgres.faults.Entry.Kind;
import dev.longhaul.postgres.faults.Entry.RunKey;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Where in a job's life a worker dies. Its ledger proves it: the entry before is there, the entry after is not. */
enum Phase {
    /** The claim was answered, the job not started. */
    CLAIMED(Kind.CLAIMED, Kind.STARTED),
    RUNNING(Kind.STARTED, Kind.FINISHED),
    /** The outcome is known to the worker only. */
    OUTCOME_QUEUED(Kind.FINISHED, Kind.SENT),
    /** The outcome was sent, its verdict has not come. */
    COMMIT_UNDER_WAY(Kind.SENT, Kind.ANSWERED);

    private final Kind begin;
    private final Kind end;

    Phase(Kind begin, Kind end) {
        this.begin = begin;
        this.end = end;
    }

    /** The runs that a ledger leaves in this phase. */
    Set<RunKey> leftIn(List<Entry> ledger) {
        var runs = new HashSet<RunKey>();
        for (Entry entry : ledger) {
            if (entry.kind() == begin) {
                runs.add(entry.key());
            } else if (entry.kind() == end || (entry.kind() == Kind.RENEWED && !entry.won())) {
                runs.remove(entry.key());
            }
        }
        return runs;
    }
}
