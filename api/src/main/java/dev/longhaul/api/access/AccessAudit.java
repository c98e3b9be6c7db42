package dev.longhaul.api.access;

import dev.longhaul.access.AccessStore;
import dev.longhaul.access.Actor;
import dev.longhaul.access.AuditDetail;
import dev.longhaul.api.http.Caller;
import dev.longhaul.api.http.Recent;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.net.InetAddress;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Writes audit entries of requests that change nothing: wrong keys, missing roles, full views of jobs. Writes the first
 * rejection of a caller immediately, and a count of further ones once a minute, for at most {@link #MOST_AT_ONCE}
 * callers at a time, so that guessed keys cannot flood the audit trail.
 */
public final class AccessAudit implements AutoCloseable {
    static final int MOST_AT_ONCE = 100;
    private static final Logger LOG = LoggerFactory.getLogger(AccessAudit.class);
    private static final Duration WINDOW = Duration.ofMinutes(1);
    private static final int MOST_VIEWS = 10_000;
    private static final Actor UNKNOWN = Actor.named("unknown");

    private final AccessStore store;
    private final Map<Refusal, AtomicInteger> repeats = new ConcurrentHashMap<>();
    private final Recent<Refusal, Long> views = new Recent<>(MOST_VIEWS);

    /** A caller and the action that was rejected, or the view that was returned. */
    private record Refusal(Actor actor, String action, String subject) {}

    public AccessAudit(AccessStore store) {
        this.store = store;
    }

    /**
     * Records that a caller sent a key that does not exist or is revoked.
     *
     * @param executor writes the entry; may block
     */
    public void wrongKey(Executor executor, InetAddress client) {
        refused(executor, new Refusal(UNKNOWN, "access.wrongKey", client.getHostAddress()));
    }

    /**
     * Records the failure if it is {@link ErrorCode#PERMISSION_DENIED}; ignores other failures.
     *
     * @param executor writes the entry; may block
     */
    public void denied(Executor executor, Caller caller, Object what, Throwable failure) {
        if (failure instanceof LonghaulException known && known.code() == ErrorCode.PERMISSION_DENIED) {
            refused(executor, new Refusal(caller.actor(), "access.denied", what.toString()));
        }
    }

    private void refused(Executor executor, Refusal one) {
        Refusal refusal =
                repeats.size() < MOST_AT_ONCE ? one : new Refusal(UNKNOWN, one.action(), "more than " + MOST_AT_ONCE);
        AtomicInteger more = repeats.putIfAbsent(refusal, new AtomicInteger());
        if (more != null) {
            more.incrementAndGet();
            return;
        }
        executor.execute(() -> write(refusal, new AuditDetail()));
        // Does not use executor.schedule, because a stopping server would wait for the task.
        CompletableFuture.delayedExecutor(WINDOW.toMillis(), TimeUnit.MILLISECONDS, executor)
                .execute(() -> summarize(refusal));
    }

    private void summarize(Refusal refusal) {
        AtomicInteger more = repeats.remove(refusal);
        if (more != null && more.get() > 0) {
            write(refusal, new AuditDetail().with("repeated", more.get()));
        }
    }

    /** Writes an entry. A failure is only logged, because the request is rejected anyway. */
    private void write(Refusal refusal, AuditDetail detail) {
        try {
            store.record(refusal.actor(), refusal.action(), refusal.subject(), detail.json());
        } catch (RuntimeException e) {
            LOG.warn(
                    "writing {} of {} to the audit trail failed; the request was rejected without an entry",
                    refusal.action(),
                    refusal.subject(),
                    e);
        }
    }

    /**
     * Records a full view, at most once a minute for the same caller and job. Throws if the entry cannot be written.
     */
    public void viewed(Caller caller, String what) {
        var view = new Refusal(caller.actor(), "job.viewFull", what);
        Long last = views.get(view);
        long now = System.nanoTime();
        if (last == null || now - last >= WINDOW.toNanos()) {
            store.record(view.actor(), view.action(), view.subject(), null);
            views.put(view, now);
        }
    }

    /** Writes the counts collected so far. */
    @Override
    public void close() {
        repeats.keySet().forEach(this::summarize);
    }
}
