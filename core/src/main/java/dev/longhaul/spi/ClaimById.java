package dev.longhaul.spi;

import dev.longhaul.job.JobId;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import java.time.Duration;
import java.util.UUID;

/** Claims one given job, for callers that run a job themselves. */
public interface ClaimById {
    /**
     * Claims one given waiting job, due or not, whether or not its queue is paused. Called again with the same key,
     * after a lost response, it returns the same claim. Ordinary runs count as begun with the claim ({@link
     * ClaimRequest.Begin#ORDINARY}).
     *
     * @param key the random key of the claim
     */
    ClaimedJob claimOne(JobId id, UUID key, String workerId, Duration lease);
}
