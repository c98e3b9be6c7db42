package dev.longhaul.job;

import java.nio.ByteBuffer;
import java.security.SecureRandom;
import java.util.Base64;
import java.util.UUID;

/**
 * Proof that its holder owns a running job: the job, the number of its run, and a random key that only the claimer
 * knows. Every write about a running job carries it; a write whose run or key is no longer the job's changes nothing.
 */
public record Claim(JobId jobId, int run, UUID key) {
    /** The length of a decoded {@link #token}. */
    public static final int TOKEN_BYTES = 4 * Long.BYTES + Integer.BYTES;

    private static final SecureRandom RANDOM = new SecureRandom();

    /** 128 random bits; not a UUID of any version, which would have 6 bits less. */
    public static UUID newKey() {
        return new UUID(RANDOM.nextLong(), RANDOM.nextLong());
    }

    /** The claim as one text, for another process that works on the run; as secret as the key. */
    public String token() {
        var bytes = ByteBuffer.allocate(TOKEN_BYTES);
        UUID id = jobId.value();
        bytes.putLong(id.getMostSignificantBits()).putLong(id.getLeastSignificantBits());
        bytes.putInt(run);
        bytes.putLong(key.getMostSignificantBits()).putLong(key.getLeastSignificantBits());
        return Base64.getUrlEncoder().encodeToString(bytes.array());
    }

    /** Omits the key: with it, a reader of a log could act as the owner. */
    @Override
    public String toString() {
        return jobId + " run " + run;
    }
}
