package dev.longhaul.server;

import dev.longhaul.JobDefinition;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Semaphore;
import java.util.function.BooleanSupplier;

/** Jobs that log numbered lines and end under the control of a test. */
public final class Counting {
    /** @param to number of lines; with 0, {@link #more} and {@link #finish} control it */
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

    /** Makes the job write more lines. */
    public void more(String name, int lines) {
        permits(name).release(lines);
    }

    /** Ends the job after it has written the requested lines. */
    public void finish(String name) {
        await("the lines are written", () -> permits(name).availablePermits() == 0);
        permits(name).release(END);
    }

    /** Polls until the condition is true; fails after a timeout. */
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
