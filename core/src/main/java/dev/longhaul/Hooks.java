package dev.longhaul;

import dev.longhaul.job.Failure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Code that runs beside a job's own: at the start of every run, and once when the job has ended. At least once, in a worker's
 * JVM; a hook that throws is noted in the job's events and changes nothing else.
 */
public record Hooks<P, R>(
        List<Hook<P>> onStart,
        List<Hook<@Nullable R>> onSuccess,
        List<Hook<Failure>> onFail,
        List<Hook<JobResult<R>>> onEnd) {

    /** One piece of such code. */
    @FunctionalInterface
    public interface Hook<T extends @Nullable Object> {
        void run(HookContext context, T value) throws Exception;
    }

    public Hooks {
        onStart = List.copyOf(onStart);
        onSuccess = List.copyOf(onSuccess);
        onFail = List.copyOf(onFail);
        onEnd = List.copyOf(onEnd);
    }

    /** Whether there is anything to run once a job has ended. */
    public boolean anyAtEnd() {
        return !(onSuccess.isEmpty() && onFail.isEmpty() && onEnd.isEmpty());
    }
}
