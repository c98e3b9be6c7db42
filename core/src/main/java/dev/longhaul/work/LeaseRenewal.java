package dev.longhaul.work;

import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Claim;
import org.jspecify.annotations.Nullable;

/** Whether a lease was extended; if so, the cancel request of its job, if any. */
public record LeaseRenewal(
        Claim claim, boolean held, @Nullable CancelRequest cancelRequest) {}
