package dev.longhaul.isolation;

import static dev.longhaul.Isolation.process;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobDefinitions;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Backoff;
import dev.longhaul.job.RetryPolicy;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.CountDownLatch;

/** Jobs that run in separate processes. */
public final class ChildJobs implements JobDefinitions {
    record Add(int a, int b) {}

    record Sum(int sum, long pid) {}

    record Nothing() {}

    record Refusals(String progress, String emit, String step) {}

    record Seen(Map<String, String> environment, String directory) {}

    /** More than a worker accepts in one message. */
    private static final String MUCH = "m".repeat(9 << 20);

    private static final RetryPolicy AT_ONCE = RetryPolicy.of(new Backoff(Duration.ZERO, 1, Duration.ZERO));

    static final JobDefinition<Add, Sum> ADD = JobDefinition.of("child.add", Add.class, Sum.class)
            .isolation(process())
            .handler((params, context) -> {
                context.progress(50, "half");
                context.log().with("b", params.b).with("to", List.of("sum")).info("adding {}", params.a);
                context.emit("seen", params);
                System.out.println("on stdout");
                return new Sum(params.a + params.b, ProcessHandle.current().pid());
            });

    static final JobDefinition<Nothing, String> STEPS = JobDefinition.of("child.steps", Nothing.class, String.class)
            .isolation(process())
            .retry(AT_ONCE)
            .handler((params, context) -> {
                String first = context.step("first", String.class, () -> "by run " + context.run());
                if (context.run() == 1) {
                    throw new IllegalStateException("not yet");
                }
                return first + ", then run " + context.run();
            });

    static final JobDefinition<Nothing, String> FUSSY = JobDefinition.of("child.fussy", Nothing.class, String.class)
            .isolation(process())
            .retry(AT_ONCE.never(UnsupportedOperationException.class))
            .handler((params, context) -> {
                throw new UnsupportedOperationException("never again");
            });

    static final JobDefinition<Nothing, String> SNOOZER = JobDefinition.of("child.snoozer", Nothing.class, String.class)
            .isolation(process())
            .handler((params, context) -> {
                if (context.run() == 1) {
                    throw context.snooze(Duration.ZERO);
                }
                return "run " + context.run() + ", attempt " + context.attempt();
            });

    static final JobDefinition<Nothing, String> POLITE = JobDefinition.of("child.polite", Nothing.class, String.class)
            .isolation(process())
            .handler((params, context) -> {
                var notified = new CountDownLatch(1);
                context.onCancel(notified::countDown);
                context.log().info("waiting");
                notified.await();
                context.log().info("notified: {}", context.cancelled());
                context.throwIfCancelled();
                return "";
            });

    static final JobDefinition<Nothing, String> STUBBORN = JobDefinition.of(
                    "child.stubborn", Nothing.class, String.class)
            .isolation(process())
            .handler((params, context) -> {
                context.log().info("waiting");
                while (true) {
                    Thread.onSpinWait();
                }
            });

    static final JobDefinition<Nothing, String> CRASHER = JobDefinition.of("child.crash", Nothing.class, String.class)
            .isolation(process())
            .handler((params, context) -> {
                Runtime.getRuntime().halt(9);
                return "";
            });

    static final JobDefinition<Nothing, String> LEAVER = JobDefinition.of("child.leave", Nothing.class, String.class)
            .isolation(process())
            .handler((params, context) -> {
                System.exit(3);
                return "";
            });

    static final JobDefinition<Nothing, String> HOG = JobDefinition.of("child.hog", Nothing.class, String.class)
            .isolation(process().memory("128m"))
            .maxAttempts(1)
            .handler((params, context) -> {
                List<byte[]> all = new ArrayList<>();
                while (all.size() < Integer.MAX_VALUE) {
                    all.add(new byte[1 << 20]);
                }
                return "had " + all.size();
            });

    /** Its heap stays small; a process that it starts takes the memory, and keeps it. */
    static final JobDefinition<Nothing, String> GREEDY = JobDefinition.of("child.greedy", Nothing.class, String.class)
            .isolation(process().memory("128m"))
            .maxAttempts(1)
            .handler((params, context) -> {
                String command = "head -c 300m /dev/zero | tail -c 300m | sleep 30";
                return "exit code "
                        + new ProcessBuilder("sh", "-c", command).start().waitFor();
            });

    /** Returns how each call was rejected. */
    static final JobDefinition<Nothing, Refusals> CARELESS = JobDefinition.of(
                    "child.careless", Nothing.class, Refusals.class)
            .isolation(process())
            .maxAttempts(1)
            .handler((params, context) -> {
                context.log().info("much: {}", MUCH);
                return new Refusals(
                        refusal(() -> context.progress(101)),
                        refusal(() -> context.emit("much", MUCH)),
                        refusal(() -> context.step("much", String.class, () -> MUCH)));
            });

    static final JobDefinition<Nothing, String> PATIENT = JobDefinition.of("child.patient", Nothing.class, String.class)
            .isolation(process())
            .handler((params, context) -> {
                context.log().info("waiting");
                while (!context.draining()) {
                    Thread.sleep(5);
                }
                return "notified";
            });

    static final JobDefinition<Nothing, String> LAVISH = JobDefinition.of("child.lavish", Nothing.class, String.class)
            .isolation(process())
            .handler((params, context) -> MUCH);

    private interface Attempt {
        void make() throws Exception;
    }

    private static String refusal(Attempt attempt) throws Exception {
        try {
            attempt.make();
            return "not refused";
        } catch (LonghaulException e) {
            return String.valueOf(e.getMessage());
        }
    }

    static final JobDefinition<Nothing, Seen> OBSERVER = JobDefinition.of("child.observe", Nothing.class, Seen.class)
            .isolation(process().environment("GIVEN", "by the definition"))
            .handler((params, context) -> new Seen(new TreeMap<>(System.getenv()), System.getProperty("user.dir")));

    /** Returns the user that runs it, and which files of the given process it can read. */
    static final JobDefinition<Long, String> WHO = JobDefinition.of("child.who", Long.class, String.class)
            .isolation(process())
            .handler((worker, context) -> {
                Path other = Path.of("/proc", String.valueOf(worker));
                return Files.getAttribute(Path.of("/proc/self"), "unix:uid") + " "
                        + Files.isReadable(other.resolve("environ")) + " "
                        + Files.isReadable(other.resolve("fd")) + " "
                        + Files.isWritable(Path.of(System.getProperty("user.dir")));
            });

    @Override
    public List<JobDefinition<?, ?>> definitions() {
        return List.of(
                WHO, ADD, STEPS, FUSSY, SNOOZER, POLITE, STUBBORN, CRASHER, HOG, OBSERVER, CARELESS, LAVISH, PATIENT,
                LEAVER, GREEDY);
    }
}
