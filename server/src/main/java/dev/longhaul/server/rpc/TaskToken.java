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
 * What a worker elsewhere proves its claim with: the claim itself, written down. Its 128 random bits are the key of the lease, so
 * nothing more is stored, and every server can judge it.
 */
public final class TaskToken {
    private static final int BYTES = 2 * Long.BYTES + Integer.BYTES + 2 * Long.BYTES;

    private TaskToken() {}

    static String of(Claim claim) {
        var bytes = ByteBuffer.allocate(BYTES);
        put(bytes, claim.jobId().value()).putInt(claim.run());
        put(bytes, claim.key());
        return Base64.getUrlEncoder().encodeToString(bytes.array());
    }

    /** The claim that such a text stands for, whether or not it holds. */
    public static Claim parse(String text) {
        return parse("taskToken", text);
    }

    /** As above, for a request that names its token otherwise. */
    static Claim parse(String field, String text) {
        try {
            var bytes = ByteBuffer.wrap(Base64.getUrlDecoder().decode(text));
            if (bytes.remaining() == BYTES) {
                return new Claim(new JobId(uuid(bytes)), bytes.getInt(), uuid(bytes));
            }
        } catch (IllegalArgumentException e) {
            // Told below.
        }
        // Never with its value: it may be nearly right.
        throw new LonghaulException(
                ErrorCode.INVALID_ARGUMENT,
                List.of(new FieldError(
                        field, text.length() + " characters", "the task token of a job that was dequeued")));
    }

    /** The token is well formed, and stands for nothing that the caller still has. */
    public static LonghaulException stale() {
        return new LonghaulException(
                ErrorCode.NOT_FOUND,
                "the task token is unknown, or the job it was given for is no longer the caller's: stop working on it");
    }

    private static ByteBuffer put(ByteBuffer bytes, UUID uuid) {
        return bytes.putLong(uuid.getMostSignificantBits()).putLong(uuid.getLeastSignificantBits());
    }

    private static UUID uuid(ByteBuffer bytes) {
        return new UUID(bytes.getLong(), bytes.getLong());
    }
}
