package dev.longhaul.postgres.faults;

import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.Run;
import dev.longhaul.job.RunStatus;
import dev.longhaul.postgres.faults.Entry.Kind;
import dev.longhaul.postgres.faults.Entry.RunKey;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds every violated guarantee in a history. Reads values only, without a store. Checks that depend on time are in {@link
 * TimeChecker}.
 */
final class HistoryChecker {
    private final History history;
    private final Map<JobId, List<Entry>> byJob = new HashMap<>();
    private final Map<RunKey, Run> runs = new HashMap<>();
    private final Set<RunKey> expired = new HashSet<>();
    private final List<Violation> violations = new ArrayList<>();

    private HistoryChecker(History history) {
        this.history = history;
        for (Entry entry : history.entries()) {
            byJob.computeIfAbsent(entry.jobId(), id -> new ArrayList<>()).add(entry);
            if (entry.kind() == Kind.EXPIRED) {
                expired.add(entry.key());
            }
        }
        history.stored()
                .values()
                .forEach(stored -> stored.runs().forEach(run -> runs.put(new RunKey(run.jobId(), run.run()), run)));
    }

    /** @param patience how long a due job may wait while jobs of lower priority are handed out */
    static List<Violation> check(History history, Duration patience) {
        var checker = new HistoryChecker(history);
        checker.checkAll();
        checker.violations.addAll(new TimeChecker(history, checker.runs).check(patience));
        return checker.violations;
    }

    private void checkAll() {
        for (JobSpec spec : history.asked()) {
            JobId id = spec.id();
            List<Entry> entries = byJob.getOrDefault(id, List.of());
            checkOwners(entries);
            checkOutcomes(entries);
            History.Stored stored = history.stored().get(id);
            checkEnd(id, stored, entries);
            if (stored != null) {
                checkResult(stored, entries);
                checkCounts(stored, entries);
                checkEvents(stored);
            }
        }
    }

    private void found(Violation.Kind kind, String what) {
        violations.add(new Violation(kind, what));
    }

    /** Each run has one owner, the one that the store names. */
    private void checkOwners(List<Entry> entries) {
        var claimed = new HashMap<RunKey, Entry>();
        for (Entry entry : entries) {
            if (entry.kind() != Kind.CLAIMED) {
                continue;
            }
            Entry other = claimed.putIfAbsent(entry.key(), entry);
            Run run = runs.get(entry.key());
            if (other != null) {
                found(Violation.Kind.DOUBLED, entry.key() + " went to " + other.worker() + " and " + entry.worker());
            } else if (run != null && !run.workerId().equals(entry.worker())) {
                found(
                        Violation.Kind.DOUBLED,
                        entry.key() + " belongs to " + run.workerId() + ", not " + entry.worker());
            }
        }
    }

    /** At most one outcome of each run is accepted, and only while the run owned its job. */
    private void checkOutcomes(List<Entry> entries) {
        var accepted = new HashSet<RunKey>();
        for (Entry entry : entries) {
            if (entry.kind() != Kind.ANSWERED || !entry.won()) {
                continue;
            }
            if (!accepted.add(entry.key())) {
                found(Violation.Kind.DOUBLED, "two outcomes of " + entry.key() + " were accepted");
            }
            if (stale(entry)) {
                found(
                        Violation.Kind.STALE_SUCCESS,
                        entry.outcome() + " of " + entry.key() + " was accepted, but its run is " + statusOf(entry));
            }
        }
    }

    private boolean stale(Entry answered) {
        Run run = runs.get(answered.key());
        return expired.contains(answered.key()) || (run != null && run.status() != expected(answered.outcome()));
    }

    private String statusOf(Entry entry) {
        Run run = runs.get(entry.key());
        return run == null || expired.contains(entry.key())
                ? "lost"
                : run.status().wireName();
    }

    private static RunStatus expected(Work.Outcome outcome) {
        return switch (outcome) {
            case SUCCEED -> RunStatus.SUCCEEDED;
            case RETRY, FAIL -> RunStatus.FAILED;
            case SNOOZE -> RunStatus.SNOOZED;
            case GIVE_BACK -> RunStatus.RELEASED;
        };
    }

    /** Every job ends, and stays so unless an operator retries it. */
    private void checkEnd(JobId id, History.@Nullable Stored stored, List<Entry> entries) {
        if (stored == null) {
            found(Violation.Kind.LOST, id + " is missing in the store");
            return;
        }
        Integer left = terminalLeft(stored, entries);
        if (left != null) {
            found(Violation.Kind.TERMINAL_LEFT, id + " ended with run " + left + ", but then continued");
        } else if (!stored.job().state().terminal()) {
            found(Violation.Kind.LOST, id + " is still " + stored.job().status().wireName());
        }
    }

    /** A run that ended its job although the job continued; null when there is none. */
    private @Nullable Integer terminalLeft(History.Stored stored, List<Entry> entries) {
        var retried = new HashSet<Integer>();
        var ends = new TreeSet<Integer>();
        int last = stored.job().tally().run();
        for (Entry entry : entries) {
            switch (entry.kind()) {
                case RETRIED -> retried.add(entry.run());
                case CLAIMED -> last = Math.max(last, entry.run());
                case EXPIRED -> {
                    if (entry.state().terminal()) {
                        ends.add(entry.run());
                    }
                }
                case ANSWERED -> {
                    if (entry.won() && entry.outcome().terminal() && !stale(entry)) {
                        ends.add(entry.run());
                    }
                }
                default -> {}
            }
        }
        ends.removeAll(retried);
        boolean open = !stored.job().state().terminal();
        for (int end : ends) {
            if (end < last || open) {
                return end;
            }
        }
        return null;
    }

    /** The result of the job is the one that its last run sent. */
    private void checkResult(History.Stored stored, List<Entry> entries) {
        if (stored.job().state() != JobState.SUCCEEDED) {
            return;
        }
        int last = stored.job().tally().run();
        boolean sent = entries.stream()
                .anyMatch(entry -> entry.kind() == Kind.SENT
                        && entry.run() == last
                        && entry.result().equals(stored.job().result()));
        if (!sent) {
            found(
                    Violation.Kind.STALE_SUCCESS,
                    stored.job().id() + ": result " + stored.job().result() + ", which run " + last + " did not send");
        }
    }

    /** Runs are numbered without gaps; attempts and crashes follow from how they ended since the last retry. */
    private void checkCounts(History.Stored stored, List<Entry> entries) {
        var numbers = stored.runs().stream().map(Run::run).toList();
        int last = stored.job().tally().run();
        boolean gapless = numbers.size() == last;
        for (int i = 0; i < numbers.size(); i++) {
            gapless &= numbers.get(i) == i + 1;
        }
        if (!gapless) {
            found(Violation.Kind.MISCOUNTED, stored.job().id() + " has runs " + numbers + ", the last is " + last);
        }
        for (Entry entry : entries) {
            if (entry.kind() == Kind.CLAIMED && !runs.containsKey(entry.key())) {
                found(Violation.Kind.MISCOUNTED, entry.key() + " was handed out, but the store does not know it");
            }
        }
        List<Run> since = sinceLastRetry(stored);
        long crashes =
                since.stream().filter(run -> run.status() == RunStatus.LOST).count();
        long free = since.stream()
                .filter(run -> run.status() == RunStatus.SNOOZED || run.status() == RunStatus.RELEASED)
                .count();
        var tally = stored.job().tally();
        if (tally.crashes() != crashes || tally.attempts() != since.size() - free) {
            found(Violation.Kind.MISCOUNTED, stored.job().id() + " counts " + tally + ", its runs are " + since);
        }
    }

    private static List<Run> sinceLastRetry(History.Stored stored) {
        var started = new HashSet<Integer>();
        for (JobEvent event : stored.events()) {
            if (event.type() == EventType.RETRIED) {
                started.clear();
            } else if (event.type() == EventType.STARTED) {
                started.add(event.run());
            }
        }
        return stored.runs().stream().filter(run -> started.contains(run.run())).toList();
    }

    /** Positions have no gaps, and only the run that owns the job reports. */
    private void checkEvents(History.Stored stored) {
        int position = 0;
        int owner = 0;
        for (JobEvent event : stored.events()) {
            if (event.position() != ++position) {
                found(Violation.Kind.EVENT_GAP, event.id() + " comes where position " + position + " should");
                position = event.position();
            }
            switch (event.type()) {
                case STARTED -> owner = event.run();
                case PROGRESS, STEP, CUSTOM -> checkReport(event, owner);
                case SNOOZED, RETRYING, RELEASED, LOST, SUCCEEDED, FAILED, CANCELLED -> owner = 0;
                default -> {}
            }
        }
    }

    private void checkReport(JobEvent event, int owner) {
        String payload = String.valueOf(event.payload());
        boolean own = event.type() == EventType.STEP
                ? payload.contains("\"step-" + event.run() + "\"")
                : payload.contains("run " + event.run() + " by");
        if (event.run() != owner || !own) {
            found(
                    Violation.Kind.STALE_PROGRESS,
                    event.id() + " " + event.type().wireName() + " " + payload + " while run " + owner + " owned it");
        }
    }
}
