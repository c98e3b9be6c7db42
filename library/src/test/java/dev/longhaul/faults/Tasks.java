package dev.longhaul.faults;

import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobStoppedException;
import dev.longhaul.job.Backoff;
import dev.longhaul.job.RetryPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** The jobs of the fault tests, for worker processes and for the tests. Each marks its start and its end. */
final class Tasks {
    static final int LIMIT = 3;
    static final int LIMITED_ATTEMPTS = 50;

    private static final RetryPolicy AT_ONCE =
            RetryPolicy.of(new Backoff(Duration.ofMillis(10), 1, Duration.ofMillis(10)));

    /** Sleeps, then returns. */
    final JobDefinition<Task, Done> good;

    /** Ends its whole process. */
    final JobDefinition<Task, Done> poison;

    /** Two steps, then its first run continues until it is killed; later runs do the third step and return. */
    final JobDefinition<Task, Done> steps;

    /** Runs until its gate is opened, and stops on a cancel. */
    final JobDefinition<Task, Done> held;

    /** Runs until its gate is opened, and ignores cancels and interrupts. */
    final JobDefinition<Task, Done> deaf;

    /** Its first run ignores cancels and interrupts, then reports, does a step and returns as usual. */
    final JobDefinition<Task, Done> insisting;

    /** Keeps a processor busy. */
    final JobDefinition<Task, Done> busy;

    /** Sleeps, then returns; with a concurrency limit. */
    final JobDefinition<Task, Done> limited;

    /** Sleeps, then returns; never retried. */
    final JobDefinition<Task, Done> once;

    /** Returns at once, without marks, so that its worker expects short jobs. */
    final JobDefinition<Task, Done> quick;

    private final Journal journal;

    /**
     * The params of a job.
     *
     * @param gate a file; creating it opens the gate
     * @param millis how long to work, or the interval at which the gate is checked
     */
    record Task(String gate, int millis) {
        static Task of(int millis) {
            return new Task("", millis);
        }

        static Task until(Path gate) {
            return until(gate, 5);
        }

        static Task until(Path gate, int millis) {
            return new Task(gate.toString(), millis);
        }

        boolean open() {
            return Files.exists(Path.of(gate));
        }
    }

    record Done(int run) {}

    /** The work of a job between its marks. */
    private interface Work {
        void run(Task task, JobContext context) throws Exception;
    }

    Tasks(Journal journal) {
        this.journal = journal;
        this.good = define("good", (task, context) -> Thread.sleep(task.millis()));
        this.poison = define("poison", (task, context) -> Runtime.getRuntime().halt(99));
        this.steps = define("steps", this::inSteps);
        this.held = define("held", this::untilOpenOrCancelled);
        this.deaf = define("deaf", (task, context) -> untilOpen(task));
        this.insisting = define("insisting", this::insist);
        this.busy = define("busy", (task, context) -> spin(task.millis()));
        this.limited = JobDefinition.of("limited", Task.class, Done.class)
                .concurrencyLimit(LIMIT)
                .maxAttempts(LIMITED_ATTEMPTS)
                .handler((task, context) -> marked((t, c) -> Thread.sleep(t.millis()), task, context));
        this.once = JobDefinition.of("once", Task.class, Done.class)
                .maxAttempts(1)
                .handler((task, context) -> marked((t, c) -> Thread.sleep(t.millis()), task, context));
        this.quick =
                JobDefinition.of("quick", Task.class, Done.class).handler((task, context) -> new Done(context.run()));
    }

    List<JobDefinition<Task, Done>> all() {
        return List.of(good, poison, steps, held, deaf, insisting, busy, limited, once, quick);
    }

    private JobDefinition<Task, Done> define(String key, Work work) {
        return JobDefinition.of(key, Task.class, Done.class)
                .retry(AT_ONCE)
                .handler((task, context) -> marked(work, task, context));
    }

    private Done marked(Work work, Task task, JobContext context) throws Exception {
        journal.mark(context, "start " + context.attempt());
        try {
            work.run(task, context);
        } finally {
            boolean interrupted = Thread.interrupted();
            journal.mark(context, "end");
            if (interrupted) {
                Thread.currentThread().interrupt();
            }
        }
        return new Done(context.run());
    }

    private void inSteps(Task task, JobContext context) throws Exception {
        for (String name : List.of("one", "two")) {
            context.step(name, String.class, () -> step(name, context));
        }
        if (context.run() == 1) {
            journal.mark(context, "middle");
            untilOpenOrCancelled(task, context);
        }
        context.step("three", String.class, () -> step("three", context));
    }

    private String step(String name, JobContext context) throws InterruptedException {
        journal.mark(context, "step " + name);
        return name;
    }

    private void untilOpenOrCancelled(Task task, JobContext context) throws Exception {
        boolean draining = false;
        while (!task.open()) {
            if (!draining && context.draining()) {
                draining = true;
                journal.mark(context, "draining");
            }
            if (context.cancelled()) {
                journal.mark(context, "notified " + Instant.now());
                context.throwIfCancelled();
            }
            Thread.sleep(task.millis());
        }
    }

    private static void untilOpen(Task task) {
        while (!task.open()) {
            try {
                Thread.sleep(task.millis());
            } catch (InterruptedException e) {
                // Ignored on purpose.
            }
        }
    }

    private void insist(Task task, JobContext context) throws Exception {
        if (context.run() == 1) {
            untilOpen(task);
            Thread.interrupted();
        }
        context.progress(50, "of run " + context.run());
        context.log().info("of run {}", context.run());
        context.emit("hint", context.run());
        try {
            context.step("step", Integer.class, context::run);
            journal.mark(context, "stored");
        } catch (JobStoppedException e) {
            journal.mark(context, "refused");
        }
    }

    private static void spin(int millis) {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        while (System.nanoTime() < until) {
            Thread.onSpinWait();
        }
    }
}
