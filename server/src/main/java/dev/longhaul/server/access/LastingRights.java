package dev.longhaul.server.access;

import com.linecorp.armeria.common.HttpHeaderNames;
import com.linecorp.armeria.common.RequestHeaders;
import com.linecorp.armeria.server.ServiceRequestContext;
import dev.longhaul.api.http.Caller;
import dev.longhaul.internal.loop.Loops;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Closes streaming responses when their API key is revoked or their session ends. One check covers all responses with the
 * same key or session.
 */
public final class LastingRights {
    private static final Logger LOG = LoggerFactory.getLogger(LastingRights.class);
    private static final long EVERY_MILLIS = 900;

    private final Access access;
    private final Map<Proof, Watched> watched = new HashMap<>();

    public LastingRights(Access access) {
        this.access = access;
    }

    /** The credentials of a caller. */
    private record Proof(
            Caller caller,
            @Nullable String authorization,
            @Nullable String cookie) {
        static Proof of(ServiceRequestContext context, Caller caller) {
            RequestHeaders headers = context.request().headers();
            return new Proof(caller, headers.get(HttpHeaderNames.AUTHORIZATION), headers.get(HttpHeaderNames.COOKIE));
        }
    }

    /** The open responses with the same credentials; {@code context} belongs to the first response. */
    private static final class Watched {
        final ServiceRequestContext context;
        final List<Runnable> ends = new ArrayList<>();

        @Nullable
        ScheduledFuture<?> checking;

        Watched(ServiceRequestContext context) {
            this.context = context;
        }
    }

    /**
     * Closes a response when its credentials are no longer valid.
     *
     * @param end closes the response
     */
    public void watch(ServiceRequestContext context, Caller caller, Runnable end) {
        Proof proof = Proof.of(context, caller);
        synchronized (watched) {
            Watched all = watched.computeIfAbsent(proof, key -> new Watched(context));
            all.ends.add(end);
            if (all.checking == null) {
                all.checking = context.eventLoop()
                        .withoutContext()
                        .scheduleWithFixedDelay(
                                Loops.guarded(
                                        "stream-rights",
                                        () -> context.blockingTaskExecutor()
                                                .withoutContext()
                                                .execute(() -> endIfRevoked(proof, all))),
                                EVERY_MILLIS,
                                EVERY_MILLIS,
                                TimeUnit.MILLISECONDS);
            }
        }
        var unused = context.log().whenComplete().thenRun(() -> leave(proof, end));
    }

    private void leave(Proof proof, Runnable end) {
        synchronized (watched) {
            Watched all = watched.get(proof);
            if (all != null && all.ends.removeIf(one -> one == end) && all.ends.isEmpty()) {
                watched.remove(proof);
                if (all.checking != null) {
                    all.checking.cancel(false);
                }
            }
        }
    }

    private void endIfRevoked(Proof proof, Watched all) {
        try {
            if (!access.stillValid(all.context, proof.caller())) {
                List<Runnable> ends;
                synchronized (watched) {
                    ends = List.copyOf(all.ends);
                }
                ends.forEach(Runnable::run);
            }
        } catch (RuntimeException | Error e) {
            // While the store is unavailable, no key can be revoked.
            LOG.debug(
                    "checking the key or session of {} failed; retrying",
                    proof.caller().name(),
                    e);
        }
    }
}
