package dev.longhaul.postgres.faults;

import dev.longhaul.postgres.faults.Entry.Kind;
import dev.longhaul.postgres.faults.Entry.RunKey;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** The phase of a job in which a worker dies. Its ledger proves it: the entry before exists, the entry after does not. */
enum Phase {
    /** The claim has returned, the job has not started. */
    CLAIMED(Kind.CLAIMED, Kind.STARTED),
    RUNNING(Kind.STARTED, Kind.FINISHED),
    /** The outcome is known to the worker only. */
    OUTCOME_QUEUED(Kind.FINISHED, Kind.SENT),
    /** The outcome was sent, its verdict has not arrived. */
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
