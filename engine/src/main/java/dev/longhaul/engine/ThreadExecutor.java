package dev.longhaul.engine;

import dev.longhaul.GiveUpException;
import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.SnoozeException;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.text.Text;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Limits;
import dev.longhaul.json.Codec;
import dev.longhaul.spi.Execution;
import dev.longhaul.spi.Executor;
import dev.longhaul.spi.Health;
import dev.longhaul.spi.Outcome;
import java.util.List;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/** Runs code in the calling thread. */
public final class ThreadExecutor implements Executor {
    @Override
    public String name() {
        return "thread";
    }

    @Override
    public void initialize() {}

    @Override
    public void prepare(JobDefinition<?, ?> definition) {}

    @Override
    public Outcome execute(Execution execution) {
        JobDefinition<?, ?> definition = execution.definition();
        return checked(definition, execute(definition, execution.params(), execution.context()));
    }

    @Override
    public Health health() {
        return Health.OK;
    }

    @Override
    public void shutdown() {}

    /**
     * Calls the code; its result is not checked yet. Everything it throws, JVM errors included, becomes an outcome: a
     * job must not end the worker's thread.
     */
    @SuppressWarnings("NullAway") // Params are null only where their type is Void.
    public <P, R> Outcome execute(JobDefinition<P, R> definition, String json, JobContext context) {
        P params;
        try {
            params = definition.params().read(json);
        } catch (LonghaulException e) {
            return unread(e);
        }
        R returned;
        try {
            returned = definition.handler().run(params, context);
        } catch (SnoozeException e) {
            return new Outcome.Snoozed(e.until());
        } catch (GiveUpException e) {
            Failure failure = Failure.of(e);
            return new Outcome.Refused(
                    new Failure(Failure.GIVEN_UP, failure.message(), failure.type(), failure.stack()));
        } catch (Throwable e) {
            return new Outcome.Threw(e);
        }
        return result(definition.result(), returned);
    }

    /**
     * Returns the outcome of params that could not be read. Malformed text comes from another version of the code, so
     * another worker may read it; a value that a constructor rejects comes from the submitter, so the attempt fails.
     */
    private static Outcome unread(LonghaulException e) {
        if (e.code() != ErrorCode.INVALID_ARGUMENT) {
            return new Outcome.Threw(e);
        }
        String misfits = e.errors().stream()
                .map(error -> "params" + error.toString().substring(Codec.READ.length()))
                .collect(Collectors.joining("; "));
        return new Outcome.Unreadable(Failure.of(Failure.PARAMS_UNREADABLE, misfits));
    }

    private static <R> Outcome result(Codec<R> codec, @Nullable R returned) {
        try {
            return new Outcome.Returned(codec.write(returned));
        } catch (LonghaulException e) {
            return new Outcome.Refused(Failure.of(Failure.INVALID_RESULT, "result: " + e.getMessage()));
        }
    }

    /** Returns the outcome if its value can be stored as a result of the definition; otherwise a failure. */
    public static Outcome checked(JobDefinition<?, ?> definition, Outcome outcome) {
        Outcome small = small(outcome);
        if (!(small instanceof Outcome.Returned returned)) {
            return small;
        }
        List<FieldError> problems = definition.result().schema().problems("result", returned.result());
        if (!problems.isEmpty()) {
            String message = problems.stream().map(FieldError::toString).collect(Collectors.joining("; "));
            return new Outcome.Refused(Failure.of(Failure.INVALID_RESULT, message));
        }
        return outcome;
    }

    /** Returns the outcome if its value is within the size limit; otherwise a failure. */
    public static Outcome small(Outcome outcome) {
        if (!(outcome instanceof Outcome.Returned returned)) {
            return outcome;
        }
        int bytes = Text.utf8Length(returned.result());
        if (bytes > Limits.JSON_BYTES) {
            String message = "result: " + bytes + " bytes (expected: <= " + Limits.JSON_BYTES
                    + " bytes; store it elsewhere and return a reference)";
            return new Outcome.Refused(Failure.of(Failure.RESULT_TOO_LARGE, message));
        }
        return outcome;
    }
}
