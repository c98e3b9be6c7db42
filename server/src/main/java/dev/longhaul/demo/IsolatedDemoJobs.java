package dev.longhaul.demo;

import static dev.longhaul.Isolation.process;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobDefinitions;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Jobs that misbehave, each in its own process: they ignore cancellation, crash, use too much memory, or print too
 * much.
 */
public final class IsolatedDemoJobs implements JobDefinitions {
    private static final int CRASHED = 134;

    /** Params of {@code demo.stubborn}. */
    public record Stubborn(long millis) {}

    /** Params of {@code demo.crash}. */
    public record Crash() {}

    /** Params of {@code demo.hog}. */
    public record Hog(int megabytes) {}

    /** Params of {@code demo.chatty}. */
    public record Chatty(int lines) {}

    /** Result of jobs that compute nothing. */
    public record Done(boolean done) {}

    /** Runs for {@code millis} and ignores cancellation. */
    public static final JobDefinition<Stubborn, Done> STUBBORN = JobDefinition.of(
                    "demo.stubborn", Stubborn.class, Done.class)
            .isolation(process())
            .handler((params, context) -> {
                long end = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(params.millis);
                while (System.nanoTime() < end) {
                    LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(10));
                }
                return new Done(true);
            });

    /** Crashes its process. */
    public static final JobDefinition<Crash, Done> CRASH = JobDefinition.of("demo.crash", Crash.class, Done.class)
            .isolation(process())
            .handler((params, context) -> {
                Runtime.getRuntime().halt(CRASHED);
                return new Done(false);
            });

    /** Allocates {@code megabytes}; its limit is 256 MiB. */
    public static final JobDefinition<Hog, Done> HOG = JobDefinition.of("demo.hog", Hog.class, Done.class)
            .isolation(process().memory("256m"))
            .maxAttempts(1)
            .handler((params, context) -> {
                List<byte[]> taken = new ArrayList<>();
                for (int megabyte = 0; megabyte < params.megabytes; megabyte++) {
                    taken.add(new byte[1 << 20]);
                }
                return new Done(taken.size() == params.megabytes);
            });

    /** Prints {@code lines} lines. */
    public static final JobDefinition<Chatty, Done> CHATTY = JobDefinition.of("demo.chatty", Chatty.class, Done.class)
            .isolation(process())
            .handler((params, context) -> {
                for (int line = 1; line <= params.lines; line++) {
                    System.out.println("line " + line + " of " + params.lines);
                }
                return new Done(true);
            });

    @Override
    public List<JobDefinition<?, ?>> definitions() {
        return List.of(STUBBORN, CRASH, HOG, CHATTY);
    }
}
