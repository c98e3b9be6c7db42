package dev.longhaul.api.stream;

import dev.longhaul.job.Job;
import dev.longhaul.job.JobStatus;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/** One client of the change feed. Changes that do not fit into its buffer are dropped and replaced by a reset event. */
final class ChangeStream {
    private final SseWriter sse;
    private final Filter filter;
    private boolean lost;

    /**
     * The jobs whose changes the client requested.
     *
     * @param statuses statuses after the change; empty matches all
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

    /** Call when changes may have been lost: sends a reset event, so that the client reloads. */
    synchronized void lost() {
        lost = true;
        sendReset();
    }

    /** Call when the buffer has room again: sends a pending reset event. */
    synchronized void hasRoom() {
        if (lost) {
            sendReset();
            sse.flush();
        }
    }

    private void sendReset() {
        lost = !sse.offer(null, "reset", "{}");
    }

    void flush() {
        sse.flush();
    }

    void drain() {
        sse.drain();
    }
}
