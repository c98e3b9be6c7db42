package dev.longhaul.kubernetes.cluster;

import dev.longhaul.kubernetes.job.PodState;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * A Job and its pod as last reported. Keeps the last state of a deleted object: after an eviction, it is available
 * nowhere else.
 */
public final class Tracked {
    private @Nullable Job job;
    private @Nullable Pod pod;
    private boolean jobDeleted;
    private boolean podDeleted;
    private long reportedAt = System.nanoTime();
    private boolean changed;

    /** A consistent view of the Job and the pod. Null means that nothing was reported about the object. */
    public record Seen(@Nullable Job job, @Nullable Pod pod, boolean jobDeleted, boolean podDeleted) {
        /** Returns whether nothing was ever reported about the Job and the pod. */
        public boolean empty() {
            return job == null && pod == null;
        }

        /** Returns whether the Job and the pod no longer exist. */
        public boolean gone() {
            return jobDeleted && (pod == null || podDeleted);
        }

        public PodState state() {
            return PodState.of(job, pod, jobDeleted, podDeleted);
        }
    }

    synchronized void job(Job now, boolean deleted) {
        job = now;
        jobDeleted = deleted;
        reportedAt = System.nanoTime();
        wake();
    }

    synchronized void pod(Pod now, boolean deleted) {
        Pod before = pod;
        boolean same = before == null
                || before.getMetadata().getUid().equals(now.getMetadata().getUid());
        if (same || !deleted) {
            pod = now;
            podDeleted = deleted;
            reportedAt = System.nanoTime();
            wake();
        }
    }

    /** Whether a state was reported since that time, or the Job is tracked only since then. */
    synchronized boolean reportedSince(long nanos) {
        return reportedAt - nanos >= 0;
    }

    public synchronized Seen seen() {
        return new Seen(job, pod, jobDeleted, podDeleted);
    }

    /** Ends the current or next {@link #await}. */
    public synchronized void wake() {
        changed = true;
        notifyAll();
    }

    /** Waits for a change, at most for that long. */
    public synchronized void await(long millis) throws InterruptedException {
        long until = System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        for (long left = until - System.nanoTime(); left > 0 && !changed; left = until - System.nanoTime()) {
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        changed = false;
    }
}
