package dev.longhaul.kafka;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Future;
import org.apache.kafka.common.KafkaException;
import org.apache.kafka.common.errors.RecordTooLargeException;
import org.jspecify.annotations.Nullable;

/** Turns failures of Kafka's clients into those of Longhaul. */
final class KafkaFailures {
    private KafkaFailures() {}

    /** Waits for the result. Kafka's clients end every call after a timeout of their own. */
    static <T> T result(Future<T> call, String action) {
        try {
            return call.get();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LonghaulException(ErrorCode.UNAVAILABLE, action + ": interrupted", e);
        } catch (ExecutionException e) {
            throw of(action, cause(e));
        }
    }

    static LonghaulException of(String action, Throwable failure) {
        ErrorCode code = failure instanceof RecordTooLargeException
                ? ErrorCode.TOO_LARGE
                : failure instanceof KafkaException ? ErrorCode.UNAVAILABLE : ErrorCode.INTERNAL;
        return new LonghaulException(code, action + " failed: " + text(failure), failure);
    }

    static Throwable cause(ExecutionException e) {
        @Nullable Throwable cause = e.getCause();
        return cause == null ? e : cause;
    }

    static String text(Throwable failure) {
        return failure.getClass().getSimpleName() + ": " + failure.getMessage();
    }
}
