package dev.longhaul.usecase;

import dev.longhaul.catalog.KnownWorker;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Limits;
import dev.longhaul.queue.Pause;
import dev.longhaul.queue.QueuePosition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Explains why a waiting job has not started: gives every reason that applies, and a suggestion for each. */
public final class WhyWaiting {
    private final QueuePosition position;
    private final Job job;
    private final List<KnownWorker> alive;
    private final Instant now;
    private final @Nullable String lastWorker;
    private final List<Reason> reasons = new ArrayList<>();

    /**
     * One reason.
     *
     * @param code a stable identifier for programs
     * @param message a sentence for users that also suggests what to do
     */
    public record Reason(String code, String message) {}

    private WhyWaiting(QueuePosition position, List<KnownWorker> workers, @Nullable String lastWorker, Instant now) {
        this.lastWorker = lastWorker;
        this.position = position;
        this.job = position.job();
        this.alive = workers.stream()
                .filter(one -> one.state() == KnownWorker.State.ACTIVE)
                .toList();
        this.now = now;
    }

    /**
     * The reasons; empty when the job is running or has ended.
     *
     * @param lastWorker the worker of its last run; null when it has not run or the worker is unknown
     */
    public static List<Reason> of(
            QueuePosition position, List<KnownWorker> workers, @Nullable String lastWorker, Instant now) {
        return switch (position.job().state()) {
            case CREATED -> List.of(new Reason("held", "Held. It runs after it is released."));
            case WAITING -> new WhyWaiting(position, workers, lastWorker, now).reasons();
            case RUNNING, CANCELLING, SUCCEEDED, FAILED, CANCELLED -> List.of();
        };
    }

    private List<Reason> reasons() {
        params();
        time();
        pause();
        limit();
        workers();
        ahead();
        if (reasons.isEmpty()) {
            add("soon", "Nothing blocks it. A worker will start it shortly.");
        }
        return reasons;
    }

    private void add(String code, String message) {
        reasons.add(new Reason(code, message));
    }

    private void params() {
        Failure last = job.failure();
        if (last != null && last.code().equals(Failure.PARAMS_UNREADABLE)) {
            add(
                    Failure.PARAMS_UNREADABLE,
                    (lastWorker == null ? "The last worker" : "Worker " + lastWorker)
                            + " could not read its params: " + last.message()
                            + ". Deploy code of " + job.spec().definition()
                            + " that can read them, or cancel the job.");
        } else if (last != null && last.code().equals(Failure.STILL_RUNNING)) {
            String worker = lastWorker == null ? "the last worker" : "worker " + lastWorker;
            add(
                    Failure.STILL_RUNNING,
                    "An earlier run ignores its interrupt and is still running in " + worker
                            + ". Another worker can run the job. Restart " + worker + " to stop the earlier run.");
        } else if (last != null && last.code().equals(Failure.DISRUPTED)) {
            add(Failure.DISRUPTED, "Its last pod was ended: " + last.message() + ". It runs again in another pod.");
        } else if (last != null && last.code().equals(Failure.QUOTA)) {
            add(Failure.QUOTA, "No pod could be created: " + last.message());
        }
    }

    private void time() {
        if (job.status() == JobStatus.QUEUED) {
            return;
        }
        String when = "in " + about(Duration.between(now, job.times().runAt()));
        if (job.status() == JobStatus.RETRYING) {
            add("backoff", "Attempt " + job.tally().attempts() + " failed. The next attempt starts " + when + ".");
        } else {
            add("not_due", "Scheduled to run " + when + ".");
        }
    }

    private void pause() {
        Pause pause = position.pause();
        if (pause != null) {
            add(
                    "queue_paused",
                    "The queue " + job.spec().queue() + " is paused" + by(pause.by())
                            + (pause.note() == null ? "." : ": " + pause.note()));
        }
    }

    private void limit() {
        if (position.limit() > 0 && position.running() >= position.limit()) {
            add(
                    "concurrency_limit",
                    "Concurrency limit reached: " + position.running() + " of " + position.limit() + " "
                            + job.spec().definition().key() + (position.limit() == 1 ? " job is" : " jobs are")
                            + " running.");
        }
    }

    /** Why no worker can run jobs of this definition from that queue; null when an active worker can. */
    public static @Nullable String missingWorker(DefinitionRef definition, String queue, List<KnownWorker> workers) {
        List<KnownWorker> active = workers.stream()
                .filter(one -> one.state() == KnownWorker.State.ACTIVE)
                .toList();
        List<KnownWorker> able =
                active.stream().filter(one -> runs(one, definition)).toList();
        if (active.isEmpty()) {
            return "No worker is active. Start one with the code of " + definition + ".";
        }
        if (able.isEmpty()) {
            return (active.size() == 1
                            ? "The active worker does not run "
                            : "None of the " + active.size() + " active workers runs ")
                    + definition + ". Deploy its code to a worker, or start another one.";
        }
        return able.stream().anyMatch(one -> one.report().queues().contains(queue))
                ? null
                : "No worker that runs " + definition + " serves the queue " + queue + ".";
    }

    private static boolean runs(KnownWorker worker, DefinitionRef definition) {
        return worker.report().definitions().contains(definition);
    }

    private void workers() {
        String missing = missingWorker(job.spec().definition(), job.spec().queue(), alive);
        List<KnownWorker> serving = alive.stream()
                .filter(one -> runs(one, job.spec().definition())
                        && one.report().queues().contains(job.spec().queue()))
                .toList();
        if (missing != null) {
            add("no_worker", missing);
        } else if (serving.stream()
                .allMatch(one -> one.report().running() >= one.report().slots())) {
            add(
                    "workers_full",
                    "All slots of the " + serving.size() + " worker" + (serving.size() == 1 ? "" : "s")
                            + " that can run it are in use.");
        } else if (job.tally().crashes() >= Limits.CRASHES - 1) {
            add(
                    "last_life",
                    "It crashed " + job.tally().crashes()
                            + " times. It will run alone, as soon as a worker has no recently started jobs.");
        }
    }

    private void ahead() {
        if (position.ahead() > 0 && job.status() == JobStatus.QUEUED) {
            String higher = position.higher() == 0
                    ? ""
                    : ", " + atLeast("at least ", position.higher()) + " with a higher priority";
            String jobs = position.ahead() == 1 ? " job is" : " jobs are";
            add("behind", atLeast("At least ", position.ahead()) + jobs + " ahead of it in the queue" + higher + ".");
        }
    }

    /** Formats a number of jobs; adds the prefix if the store stopped counting at that number. */
    private static String atLeast(String prefix, int jobs) {
        return jobs >= QueuePosition.MOST_COUNTED ? prefix + QueuePosition.MOST_COUNTED : String.valueOf(jobs);
    }

    private static String by(@Nullable String name) {
        return name == null ? "" : " by " + name;
    }

    /** The two largest units that are not zero: 2 h 5 min, 5 min. */
    private static String about(Duration wait) {
        if (wait.toDays() > 1) {
            return wait.toDays() + " days";
        }
        if (wait.toHours() > 0) {
            return wait.toHours() + " h" + part(wait.toMinutesPart(), " min");
        }
        return wait.toMinutes() > 0
                ? wait.toMinutes() + " min" + part(wait.toSecondsPart(), " s")
                : Math.max(1, wait.toSeconds()) + " s";
    }

    private static String part(int value, String unit) {
        return value == 0 ? "" : " " + value + unit;
    }
}
