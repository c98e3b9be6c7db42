package dev.longhaul.spring.actuate;

import dev.longhaul.Longhaul;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.spi.Health;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Whether jobs can be stored and run here, for the health indicators of the starters. */
public final class LonghaulHealth {
    /** A pool waits longer for a connection, by default 30 s: longer than a caller of health checks does. */
    private static final int PATIENCE_SECONDS = 3;

    private final Longhaul longhaul;
    /** The check that runs, shared by all callers: while the database is unavailable, one thread waits for it. */
    private @Nullable CompletableFuture<Health> running;

    private volatile @Nullable String lastFailure;

    public LonghaulHealth(Longhaul longhaul) {
        this.longhaul = longhaul;
    }

    /** Returns within 3 s, also if the database does not respond. */
    public Health check() {
        Health stored;
        try {
            stored = database().get(PATIENCE_SECONDS, TimeUnit.SECONDS);
        } catch (TimeoutException e) {
            String before = lastFailure;
            stored = new Health(
                    false,
                    "no response from the database within " + PATIENCE_SECONDS + " s"
                            + (before == null ? "" : "; last failure: " + before));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            stored = new Health(false, "interrupted while waiting for the database");
        } catch (ExecutionException e) {
            stored = new Health(false, "checking the database failed: " + e.getCause());
        }
        return stored.healthy() ? longhaul.health() : stored;
    }

    private synchronized CompletableFuture<Health> database() {
        CompletableFuture<Health> current = running;
        if (current == null || current.isDone()) {
            var started = new CompletableFuture<Health>();
            started.completeAsync(this::checkDatabase, LonghaulHealth::onOwnThread);
            running = started;
            current = started;
        }
        return current;
    }

    private static void onOwnThread(Runnable check) {
        var thread = new Thread(check, "longhaul-health");
        thread.setDaemon(true);
        thread.start();
    }

    private Health checkDatabase() {
        try {
            longhaul.store().checkWritable();
            lastFailure = null;
            return Health.OK;
        } catch (LonghaulException e) {
            lastFailure = e.getMessage();
            return new Health(false, String.valueOf(e.getMessage()));
        }
    }
}
