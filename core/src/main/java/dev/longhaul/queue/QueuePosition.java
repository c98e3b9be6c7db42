package dev.longhaul.queue;

import dev.longhaul.job.Job;
import org.jspecify.annotations.Nullable;

/**
 * Why a waiting job has not started: paused queue, limits, jobs ahead of it.
 *
 * @param pause of its queue; null when the queue is not paused
 * @param limit concurrency limit of its definition; 0 means no limit
 * @param running how many jobs of its definition are running
 * @param ahead due jobs of its queue that are claimed before it, counted up to {@link #MOST_COUNTED}
 * @param higher how many of the jobs ahead have a higher priority
 */
public record QueuePosition(Job job, @Nullable Pause pause, int limit, int running, int ahead, int higher) {
    public static final int MOST_COUNTED = 1000;
}
