package dev.longhaul.server;

import dev.longhaul.JobDefinition;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

/** Jobs that log numbered lines, as many as a test has asked for, and end when it says so. */
public final class Counting {
    /** @param to how many lines; 0 leaves that to {@link #more} and {@link #finish} */
    public record Count(String name, int to) {}

    private static final int END = 1 << 20;

    private final Map<String, Semaphore> allowed = new ConcurrentHashMap<>();
    public final JobDefinition<Count, String> definition = JobDefinition.of("test.count", Count.class, String.class)
            .handler((count, context) -> {
                int line = 0;
                while (count.to == 0 || line < count.to) {
                    Semaphore permits = permits(count.name);
                    if (count.to == 0) {
                        permits.acquire();
                    }
                    if (count.to == 0 && permits.availablePermits() >= END / 2) {
                        break;
                    }
                    context.log().info("line {}", line++);
                }
                return "counted";
            });

    private Semaphore permits(String name) {
        return allowed.computeIfAbsent(name, key -> new Semaphore(0));
    }

    /** Lets the job write so many lines more. */
    public void more(String name, int lines) {
        permits(name).release(lines);
    }

    /** Lets the job end, once it has written the lines it was let. */
    public void finish(String name) {
        await("the lines are written", () -> permits(name).availablePermits() == 0);
        permits(name).release(END);
    }

    /** Looks until it is so; fails after a while. */
    public static void await(String what, BooleanSupplier so) {
        Duration patience = Duration.ofSeconds(30);
        long until = System.nanoTime() + patience.toNanos();
        while (!so.getAsBoolean()) {
            if (System.nanoTime() > until) {
                throw new AssertionError("not within " + patience + ": " + what);
            }
            pause();
        }
    }

    public static void pause() {
        try {
            Thread.sleep(10);
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }
}
