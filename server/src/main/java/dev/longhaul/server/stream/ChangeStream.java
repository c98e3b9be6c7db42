package dev.longhaul.server.stream;

import dev.longhaul.job.Job;
import dev.longhaul.job.JobStatus;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One client of the change feed. Changes for which it has no room are dropped; an event then says so. */
final class ChangeStream {
    private final SseWriter sse;
    private final Filter filter;
    private boolean lost;

    /**
     * Which jobs it wants to hear of.
     *
     * @param statuses as they are after the change; none means all
     */
    record Filter(@Nullable String definitionKey, @Nullable String queue, Set<JobStatus> statuses) {
        boolean matches(Job job) {
            return (definitionKey == null
                            || definitionKey.equals(job.spec().definition().key()))
                    && (queue == null || queue.equals(job.spec().queue()))
                    && (statuses.isEmpty() || statuses.contains(job.status()));
        }
    }

    ChangeStream(SseWriter sse, Filter filter) {
        this.sse = sse;
        this.filter = filter;
    }

    synchronized void offer(Job job) {
        if (!lost && filter.matches(job)) {
            lost = !sse.offer(job);
        }
    }

    /** Something may have been missed. */
    synchronized void lost() {
        lost = true;
        tellLoss();
    }

    /** There is room again; a loss can be told now. */
    synchronized void hasRoom() {
        if (lost) {
            tellLoss();
            sse.flush();
        }
    }

    private void tellLoss() {
        lost = !sse.offer(null, "reset", "{}");
    }

    void flush() {
        sse.flush();
    }

    void drain() {
        sse.drain();
    }
}
