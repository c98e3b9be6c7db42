package dev.longhaul.queue;

import dev.longhaul.job.Job;
import org.jspecify.annotations.Nullable;

/**
 * What stands between a job and its run, as far as the store knows.
 *
 * @param pause of its queue; null when that is open
 * @param limit how many jobs of its definition may run at once; 0 means any number
 * @param running how many jobs of its definition run
 * @param ahead due jobs of its queue that are handed out before it, counted up to {@link #MOST_COUNTED}
 * @param higher those of them that have a higher priority
 */
public record Standing(Job job, @Nullable Pause pause, int limit, int running, int ahead, int higher) {
    public static final int MOST_COUNTED = 1000;
}
