package dev.longhaul.postgres.faults;

import static java.util.stream.Collectors.groupingBy;

import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Run;
import dev.longhaul.job.RunStatus;
import dev.longhaul.postgres.faults.Entry.Kind;
import dev.longhaul.postgres.faults.Entry.RunKey;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.TreeSet;
import org.jspecify.annotations.Nullable;

/**
 * Finds violated guarantees about time. Valid because workers and database share one machine's clock: an entry is
 * written after the response it records, and an outcome is recorded before it is sent.
 */
final class TimeChecker {
    private final History history;
    private final Map<RunKey, Run> runs;
    private final Map<JobId, JobSpec> asked = new HashMap<>();
    private final Map<RunKey, Entry> claimed = new HashMap<>();
    private final Map<RunKey, Entry> sent = new HashMap<>();
    private final Map<RunKey, Entry> expired = new HashMap<>();
    private final List<Violation> violations = new ArrayList<>();

    TimeChecker(History history, Map<RunKey, Run> runs) {
        this.history = history;
        this.runs = runs;
        history.asked().forEach(spec -> asked.put(spec.id(), spec));
        for (Entry entry : history.entries()) {
            switch (entry.kind()) {
                case CLAIMED -> claimed.putIfAbsent(entry.key(), entry);
                case SENT -> sent.putIfAbsent(entry.key(), entry);
                case EXPIRED -> expired.putIfAbsent(entry.key(), entry);
                default -> {}
            }
        }
    }

    List<Violation> check(Duration patience) {
        history.entries().stream().filter(entry -> entry.kind() == Kind.SAVED).forEach(this::checkReport);
        history.entries().stream().filter(entry -> entry.kind() == Kind.CLAIMED).forEach(this::checkDue);
        history.limits().forEach(this::checkLimit);
        checkOrderOfAnswers();
        checkOrderOfClaims(patience);
        return violations;
    }

    private void found(Violation.Kind kind, String what) {
        violations.add(new Violation(kind, what));
    }

    /** A report that was sent after its run had lost its job is rejected. */
    private void checkReport(Entry saved) {
        if (!saved.won()) {
            return;
        }
        Entry end = expired.get(saved.key());
        Entry next = claimed.get(new RunKey(saved.jobId(), saved.run() + 1));
        if ((end != null && saved.sentAt().isAfter(end.at()))
                || (next != null && saved.sentAt().isAfter(next.at()))) {
            found(Violation.Kind.STALE_PROGRESS, "a report of " + saved.key() + " was accepted after its end");
        }
    }

    /** A run begins when its job is due, by the database's clock, not before. */
    private void checkDue(Entry claim) {
        JobSpec spec = asked.get(claim.jobId());
        Instant planned = spec == null ? null : spec.runTime().at();
        Instant again = runAgainAt(new RunKey(claim.jobId(), claim.run() - 1));
        for (Instant due : new @Nullable Instant[] {claim.runAt(), planned, again}) {
            if (due != null && claim.startedAt().isBefore(due)) {
                found(Violation.Kind.EARLY_RUN, claim.key() + " began at " + claim.startedAt() + ", due at " + due);
                return;
            }
        }
    }

    /** When a job that its run retries or snoozes may run again; null otherwise. */
    private @Nullable Instant runAgainAt(RunKey before) {
        Run run = runs.get(before);
        Entry outcome = sent.get(before);
        Instant ended = run == null ? null : run.endedAt();
        boolean delayed = run != null && (run.status() == RunStatus.FAILED || run.status() == RunStatus.SNOOZED);
        return !delayed || outcome == null || ended == null ? null : ended.plusMillis(outcome.delayMillis());
    }

    /** A run counts from its start until its outcome is sent or its lease is lost. */
    private void checkLimit(String definitionKey, int limit) {
        var changes = new TreeMap<Instant, Integer>();
        for (Entry entry : history.entries()) {
            JobSpec spec = asked.get(entry.jobId());
            boolean limited = spec != null && spec.definition().key().equals(definitionKey);
            Instant end = limited && entry.kind() == Kind.STARTED ? endOf(entry) : null;
            if (end != null && end.isAfter(entry.at())) {
                changes.merge(entry.at(), 1, Integer::sum);
                changes.merge(end, -1, Integer::sum);
            }
        }
        int running = 0;
        for (var change : changes.entrySet()) {
            running += change.getValue();
            if (running > limit) {
                found(
                        Violation.Kind.OVER_LIMIT,
                        running + " of " + definitionKey + " ran at " + change.getKey() + " (limit: " + limit + ")");
                return;
            }
        }
    }

    private Instant endOf(Entry started) {
        Instant end = Instant.MAX;
        Entry outcome = sent.get(started.key());
        if (outcome != null) {
            end = outcome.at();
        }
        Run run = runs.get(started.key());
        Instant ended = run == null ? null : run.endedAt();
        return ended != null && ended.isBefore(end) ? ended : end;
    }

    private void checkOrderOfAnswers() {
        Comparator<Entry> order = Comparator.<Entry>comparingInt(entry -> -entry.priority())
                .thenComparing(Entry::runAt)
                .thenComparing(Entry::jobId);
        var batches = history.entries().stream()
                .filter(entry -> entry.kind() == Kind.CLAIMED)
                .collect(groupingBy(Entry::batch));
        for (var batch : batches.entrySet()) {
            var handedOut = new ArrayList<>(batch.getValue());
            handedOut.sort(Comparator.comparingInt(Entry::index));
            for (int i = 1; i < handedOut.size(); i++) {
                if (order.compare(handedOut.get(i - 1), handedOut.get(i)) > 0) {
                    found(Violation.Kind.WRONG_ORDER, "claim " + batch.getKey() + " at " + i);
                    break;
                }
            }
        }
    }

    /** While a job without a limit is due, jobs of lower priority are not handed out for long. */
    private void checkOrderOfClaims(Duration patience) {
        var starts = new TreeMap<Integer, TreeSet<Instant>>();
        claimed.values()
                .forEach(entry -> starts.computeIfAbsent(entry.priority(), priority -> new TreeSet<>())
                        .add(entry.startedAt()));
        for (Entry entry : claimed.values()) {
            JobSpec spec = asked.get(entry.jobId());
            if (spec == null || history.limits().containsKey(spec.definition().key())) {
                continue;
            }
            Run before = runs.get(new RunKey(entry.jobId(), entry.run() - 1));
            Instant freed = before == null ? null : before.endedAt();
            Instant waiting = freed != null && freed.isAfter(entry.runAt()) ? freed : entry.runAt();
            Instant impatient = waiting.plus(patience);
            for (var lower : starts.headMap(entry.priority()).values()) {
                Instant passed = lower.ceiling(impatient);
                if (passed != null && passed.isBefore(entry.startedAt().minus(patience))) {
                    found(Violation.Kind.WRONG_ORDER, entry.key() + " was passed over at " + passed);
                    break;
                }
            }
        }
    }
}
