package dev.longhaul.job;

import java.security.SecureRandom;
import java.util.UUID;

/**
 * Proof that its holder owns a running job: the job, the number of its run, and a random key that only the claimer
 * knows. Every write about a running job carries it; a write whose run or key is no longer the job's changes nothing.
 */
public record Claim(JobId jobId, int run, UUID key) {
    private static final SecureRandom RANDOM = new SecureRandom();

    /** 128 random bits; not a UUID of any version, which would have 6 bits less. */
    public static UUID newKey() {
        return new UUID(RANDOM.nextLong(), RANDOM.nextLong());
    }

    /** Omits the key: with it, a reader of a log could act as the owner. */
    @Override
    public String toString() {
        return jobId + " run " + run;
    }
}
