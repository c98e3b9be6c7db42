package dev.longhaul;

import dev.longhaul.job.Failure;
import java.util.List;
import org.jspecify.annotations.Nullable;

/**
 * Code that runs in addition to a job's handler: at the start of every run, and once after the job has ended. Each
 * hook runs at least once, in a worker's JVM. A hook that throws is recorded in the job's events; the job is not
 * affected.
 */
public record Hooks<P, R>(
        List<Hook<P>> onStart,
        List<Hook<@Nullable R>> onSuccess,
        List<Hook<Failure>> onFail,
        List<Hook<JobResult<R>>> onEnd) {

    /** A single hook. */
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

    /** Whether any hook runs after the job has ended. */
    public boolean anyAtEnd() {
        return !(onSuccess.isEmpty() && onFail.isEmpty() && onEnd.isEmpty());
    }
}
