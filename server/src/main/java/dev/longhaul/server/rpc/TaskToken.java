package dev.longhaul.server.rpc;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Claim;
import dev.longhaul.job.JobId;
import java.nio.ByteBuffer;
import java.util.Base64;
import java.util.List;
import java.util.UUID;

/**
 * The task token of a remote worker. It is the encoded claim, and proves that the worker has that claim. Its 128 random
 * bits are the key of the lease, so nothing else needs to be stored, and every server can check it.
 */
public final class TaskToken {
    private TaskToken() {}

    static String of(Claim claim) {
        return claim.token();
    }

    /** Decodes a token. Does not check whether the claim is still valid. */
    public static Claim parse(String text) {
        return parse("taskToken", text);
    }

    /** @param field the name of the token in the request, for error messages */
    static Claim parse(String field, String text) {
        try {
            var bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
            if (bytes.remaining() == Claim.TOKEN_BYTES) {
                return new Claim(new JobId(uuid(bytes)), bytes.getInt(), uuid(bytes));
            }
        } catch (IllegalArgumentException e) {
            // The value is reported as invalid below.
        }
        // Omits the value, which may be almost a valid secret.
        throw new LonghaulException(
                ErrorCode.INVALID_ARGUMENT,
                List.of(new FieldError(
                        field, text.length() + " characters", "the task token of a job that was dequeued")));
    }

    /** Returns the error for a well-formed token whose claim is unknown or lost. */
    public static LonghaulException stale() {
        return new LonghaulException(
                ErrorCode.NOT_FOUND,
                "the task token is unknown, or its lease has expired or ended: stop working on the job");
    }

    private static UUID uuid(ByteBuffer bytes) {
        return new UUID(bytes.getLong(), bytes.getLong());
    }
}
