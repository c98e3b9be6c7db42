package dev.longhaul.engine;

import dev.longhaul.Registry;
import dev.longhaul.internal.loop.Closing;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Subscription;
import dev.longhaul.spi.WorkSource;
import java.util.Set;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Claims and runs jobs of its definitions until it is closed: a {@link WorkerBackend} with a {@link ClaimLoop}. */
public final class Worker implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(Worker.class);

    private final WorkerBackend backend;
    private final WorkerConfig config;
    private final WorkSource source;
    private final @Nullable ClaimLoop claims;
    private final Slots slots;
    private final Presence presence;
    private final Takeovers takeovers;
    private final AtomicBoolean stopped = new AtomicBoolean();
    private final AtomicBoolean closed = new AtomicBoolean();
    private @Nullable Subscription signals;

    public Worker(WorkSource source, Registry registry, WorkerConfig config, WorkerBackend backend) {
        this.source = source;
        this.backend = backend;
        this.config = config;
        Set<DefinitionRef> known = registry.names();
        this.claims = known.isEmpty() ? null : new ClaimLoop(source, config, known, backend.live(), backend::giveBack);
        this.presence = new Presence(source.directory(), config, known, backend.live());
        this.slots = new Slots(config.slots(), backend.runner()::run, backend::refused, this::runEnded);
        this.takeovers =
                new Takeovers(source, backend.live(), backend.lasting(), known, config.workerId(), slots::runNow);
    }

    private void runEnded() {
        if (claims != null) {
            claims.runEnded();
        }
    }

    /** Starts to claim; the backend must have been initialized. */
    public void start() {
        ClaimLoop loop = claims;
        if (loop == null) {
            LOG.info("no job definitions are registered; this worker claims no jobs");
            return;
        }
        signals = source.listen(signal -> {
            if (signal.kind() == Signal.Kind.WORK && config.queues().containsKey(signal.subject())) {
                loop.wake();
            }
        });
        backend.onPlaceFree(loop::wake);
        backend.startHooks();
        presence.start();
        loop.start(slots);
        takeovers.start();
        LOG.info(
                "worker {} serves {} with {} slots",
                config.workerId(),
                config.queues().keySet(),
                config.slots());
    }

    /** Stops claiming and gives back jobs that have not begun. */
    public void stopClaiming() {
        if (stopped.getAndSet(true)) {
            return;
        }
        // Runs are notified of the shutdown last: a run that is claimed or taken over after that may leave its job at
        // once, and a loop that still claims would claim the job again, many times.
        var closing = new Closing().part(takeovers::close).part(presence::drain);
        Subscription listening = signals;
        if (listening != null) {
            closing.part(listening::close);
        }
        if (claims != null) {
            closing.part(claims::stop);
        }
        closing.part(() -> backend.giveBack(slots.takeWaiting()))
                .part(backend::startDraining)
                .throwIfAny();
    }

    /** Stops claiming, then shuts the backend down, which waits for running jobs. */
    @Override
    public void close() {
        var closing = new Closing().part(this::stopClaiming);
        if (!closed.getAndSet(true)) {
            closing.part(() -> backend.shutdown(config.drain()))
                    .part(slots::close)
                    .part(presence::close);
        }
        closing.throwIfAny();
    }
}
