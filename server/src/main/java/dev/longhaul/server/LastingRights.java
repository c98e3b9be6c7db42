package dev.longhaul.server;

import com.linecorp.armeria.server.ServiceRequestContext;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Ends answers that go on and on when the key that opened them is revoked, or its session is over. */
final class LastingRights {
    private static final Logger LOG = LoggerFactory.getLogger(LastingRights.class);
    private static final long EVERY_MILLIS = 900;

    private final Access access;

    LastingRights(Access access) {
        this.access = access;
    }

    /** @param end ends the answer */
    void watch(ServiceRequestContext context, Caller caller, Runnable end) {
        ScheduledFuture<?> looking = context.eventLoop()
                .withoutContext()
                .scheduleWithFixedDelay(
                        () -> context.blockingTaskExecutor()
                                .withoutContext()
                                .execute(() -> endIfGone(context, caller, end)),
                        EVERY_MILLIS,
                        EVERY_MILLIS,
                        TimeUnit.MILLISECONDS);
        var unused = context.log().whenComplete().thenRun(() -> looking.cancel(false));
    }

    private void endIfGone(ServiceRequestContext context, Caller caller, Runnable end) {
        try {
            if (!access.still(context, caller)) {
                end.run();
            }
        } catch (RuntimeException e) {
            // While the store is away nobody can revoke anything.
            LOG.debug("could not look whether {} may still read {}", caller.name(), context.path(), e);
        }
    }
}
