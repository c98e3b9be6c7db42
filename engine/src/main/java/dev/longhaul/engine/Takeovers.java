package dev.longhaul.engine;

import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.LiveRuns;
import dev.longhaul.internal.loop.BackgroundLoop;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.spi.Executor;
import dev.longhaul.spi.Executor.Lasting.Leftover;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.work.ClaimedJob;
import java.time.Duration;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.function.Consumer;
import java.util.function.Function;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Takes over runs whose code outlives workers ({@link Executor.Lasting}) and whose worker has ended. A worker counts as
 * active until several passes in a row have read the same heartbeat of it: no clocks are compared, and an outage of the
 * database, in which no worker can report, does not count.
 */
final class Takeovers implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Takeovers.class);
    private static final long INTERVAL_MILLIS = 3000;
    /** A worker counts as ended after this many passes without a new heartbeat; heartbeats are due every 5 s. */
    private static final int SILENT_PASSES = 5;

    private final WorkSource source;
    private final LiveRuns live;
    private final Collection<Executor.Lasting> executors;
    private final Set<DefinitionRef> known;
    private final String self;
    private final Consumer<LiveRun> start;
    private final Map<String, Seen> workers = new HashMap<>();
    /** Workers without a heartbeat, with the pass in which an executor first asked for them. */
    private final Map<String, Long> unknown = new HashMap<>();

    private final Waker waker = new Waker();
    private long pass;
    /** The last failure of the current pass; confined to the loop's thread. */
    private @Nullable Throwable failure;

    private volatile boolean closed;
    private @Nullable BackgroundLoop loop;

    /** A heartbeat, and how many passes have read it. */
    private record Seen(Instant heartbeat, int passes) {}

    /**
     * Creates the loop.
     *
     * @param self the id of this worker, which is always active
     * @param start executes a run, at once
     */
    Takeovers(
            WorkSource source,
            LiveRuns live,
            Collection<Executor.Lasting> executors,
            Set<DefinitionRef> known,
            String self,
            Consumer<LiveRun> start) {
        this.source = source;
        this.live = live;
        this.executors = List.copyOf(executors);
        this.known = known;
        this.self = self;
        this.start = start;
    }

    void start() {
        if (!executors.isEmpty()) {
            loop = BackgroundLoop.helper("takeovers", this::pass);
        }
    }

    private boolean pass() throws InterruptedException {
        if (!closed) {
            runOnce();
            boolean woken = waker.sleep(INTERVAL_MILLIS * 1_000_000);
            LOG.trace("woken: {}", woken);
        }
        return !closed;
    }

    /** Reads the heartbeats, then takes over the runs whose workers are no longer active. */
    void runOnce() {
        Map<String, Instant> beats = source.directory().heartbeats();
        // Until this worker's own heartbeat is listed, missing heartbeats of other workers prove nothing.
        if (!beats.containsKey(self)) {
            return;
        }
        pass++;
        workers.keySet().retainAll(beats.keySet());
        unknown.keySet().removeAll(beats.keySet());
        beats.forEach((id, beat) -> workers.merge(
                id,
                new Seen(beat, 1),
                (before, now) -> before.heartbeat().equals(beat) ? new Seen(beat, before.passes() + 1) : now));
        for (Executor.Lasting executor : executors) {
            takeOver(executor, executor.takeOver(this::active, known::contains));
        }
        Throwable last = failure;
        failure = null;
        if (last instanceof Error error) {
            throw error;
        }
        if (last instanceof RuntimeException exception) {
            throw exception;
        }
    }

    private boolean active(String id) {
        Seen seen = workers.get(id);
        if (id.equals(self)) {
            return true;
        }
        if (seen != null) {
            return seen.passes() < SILENT_PASSES;
        }
        // A worker that has just started may have registered after this pass read the heartbeats, so it counts as
        // active in this pass.
        return unknown.computeIfAbsent(id, key -> pass) == pass;
    }

    private void takeOver(Executor.Lasting executor, List<Leftover> leftovers) {
        Map<UUID, List<Leftover>> batches = leftovers.stream()
                .filter(leftover -> !isLive(leftover.claim()))
                .collect(Collectors.groupingBy(leftover -> leftover.claim().key()));
        batches.forEach((key, batch) -> {
            Map<Claim, ClaimedJob> held =
                    source.claimed(key).stream().collect(Collectors.toMap(ClaimedJob::claim, Function.identity()));
            for (Leftover leftover : batch) {
                try {
                    takeOver(executor, leftover, held.get(leftover.claim()));
                } catch (RuntimeException | Error e) {
                    // One failing run must not keep the other runs without a worker. The next pass takes it over again.
                    failure = e;
                }
            }
        });
    }

    /** @param claimed the job of the run; null if its claim no longer holds */
    private void takeOver(Executor.Lasting executor, Leftover leftover, @Nullable ClaimedJob claimed) {
        if (claimed == null) {
            executor.discard(leftover);
        } else if (!closed) {
            LiveRun run = live.takeOver(claimed, leftover.followers() - 1);
            if (run != null) {
                execute(run, executor.lease());
            }
        }
    }

    private void execute(LiveRun run, Duration lease) {
        try {
            run.lastsFor(lease);
            LOG.info("{}: taken over from a worker that has ended", run);
            start.accept(run);
        } catch (RuntimeException | Error e) {
            // No thread executes the run, so its lease must not be renewed.
            live.remove(run);
            throw e;
        }
    }

    private boolean isLive(Claim claim) {
        LiveRun run = live.find(claim.jobId());
        return run != null && run.claim().equals(claim);
    }

    /** Takes over no more runs. */
    @Override
    public void close() {
        closed = true;
        waker.wake();
        BackgroundLoop started = loop;
        if (started != null) {
            started.close(INTERVAL_MILLIS);
        }
    }
}
