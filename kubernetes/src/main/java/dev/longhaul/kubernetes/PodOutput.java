package dev.longhaul.kubernetes;

import dev.longhaul.kubernetes.cluster.PodLog;
import dev.longhaul.process.supervise.Output;
import dev.longhaul.spi.Execution;
import java.io.InputStream;
import java.time.Instant;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Stores the log of a pod as output events, and records up to which line the log is certainly stored. */
final class PodOutput {
    private static final Logger LOG = LoggerFactory.getLogger(PodOutput.class);
    private static final long LAST_LINES_MILLIS = 10_000;
    /** How long to wait until the current connection has reached the end of the log. */
    private static final long STALLED_MILLIS = 3000;

    private static final long MARK = TimeUnit.SECONDS.toNanos(15);

    private final Execution execution;
    private long nextMark = System.nanoTime() + MARK;
    private @Nullable Instant marked;
    /** The time of a line, while {@link #storing} waits until all lines up to it are stored. */
    private @Nullable Instant read;

    private @Nullable CompletableFuture<Boolean> storing;
    /** The time that the Job has for the next worker. */
    private @Nullable Instant saved;

    private @Nullable PodLog log;
    private @Nullable Output output;

    PodOutput(Execution execution) {
        this.execution = execution;
    }

    /** Skips the lines up to that time, because they are stored already; null skips nothing. */
    void resumeAfter(@Nullable Instant stored) {
        marked = stored;
        saved = stored;
    }

    /** Opens the log of a container. */
    interface Source {
        PodLog open(@Nullable Instant after);
    }

    void start(Source source) {
        PodLog opened = source.open(marked);
        log = opened;
        output = new Output(opened, InputStream.nullInputStream(), execution);
    }

    /**
     * Returns the time up to which all lines are certainly stored: the time of the last line that was read 15 s ago,
     * once the store has everything that was reported since. Returns null if there is no new time.
     */
    @Nullable
    Instant mark() {
        CompletableFuture<Boolean> pending = storing;
        if (pending != null) {
            if (!pending.isDone()) {
                return null;
            }
            storing = null;
            if (!pending.join()) {
                return null;
            }
            saved = read;
            return read;
        }
        long now = System.nanoTime();
        PodLog open = log;
        if (open == null || now - nextMark < 0) {
            return null;
        }
        nextMark = now + MARK;
        read = marked;
        marked = open.last();
        if (read != null && !read.equals(saved)) {
            var stored = new CompletableFuture<Boolean>();
            storing = stored;
            execution.onStored(stored::complete);
        }
        return null;
    }

    /** Reads the log of an ended container to its end. */
    void finish() {
        PodLog open = log;
        if (open == null) {
            return;
        }
        open.containerEnded();
        try {
            boolean ended = open.awaitEnd(STALLED_MILLIS);
            if (!ended) {
                open.reconnect();
                ended = open.awaitEnd(LAST_LINES_MILLIS);
            }
            if (!ended) {
                LOG.warn("{}: its log was not read to the end within {} ms", execution.claim(), LAST_LINES_MILLIS);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        leave();
    }

    /** Stops reading and passes on the lines read so far. Returns the time of the last line. */
    @Nullable
    Instant leave() {
        PodLog open = log;
        Output reading = output;
        if (open == null || reading == null) {
            return marked;
        }
        open.close();
        reading.await();
        return open.last();
    }
}
