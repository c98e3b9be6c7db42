package dev.longhaul.spring.job;

import dev.longhaul.JobContext;
import java.util.concurrent.CancellationException;
import kotlin.coroutines.Continuation;
import kotlin.coroutines.EmptyCoroutineContext;
import kotlinx.coroutines.BuildersKt;
import kotlinx.coroutines.CoroutineScopeKt;
import org.jspecify.annotations.Nullable;

/**
 * Runs suspend functions of Kotlin, like {@code job} of {@code longhaul-kotlin}. Loaded only where an application
 * declares such a job: kotlinx-coroutines need not be on the class path.
 */
final class SuspendingCall {
    private SuspendingCall() {}

    /** A call of a suspend function. */
    interface Call {
        @Nullable
        Object with(Continuation<?> continuation) throws Exception;
    }

    /** Blocks until the function returns. Cancelling the job cancels the coroutine. */
    static @Nullable Object run(JobContext context, Call call) throws InterruptedException {
        try {
            return BuildersKt.<@Nullable Object>runBlocking(EmptyCoroutineContext.INSTANCE, (scope, continuation) -> {
                context.onCancel(() -> CoroutineScopeKt.cancel(scope, "job " + context.jobId() + " should stop", null));
                return unchecked(call, continuation);
            });
        } catch (CancellationException e) {
            context.throwIfCancelled();
            throw e;
        }
    }

    /** Kotlin's functions declare no checked exceptions, and pass them on. */
    @SuppressWarnings("unchecked")
    private static <E extends Exception> @Nullable Object unchecked(Call call, Continuation<?> continuation) throws E {
        try {
            return call.with(continuation);
        } catch (Exception e) {
            throw (E) e;
        }
    }
}
