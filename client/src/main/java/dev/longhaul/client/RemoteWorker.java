package dev.longhaul.client;

import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.Registry;
import dev.longhaul.engine.ThreadExecutor;
import dev.longhaul.engine.Worker;
import dev.longhaul.engine.WorkerBackend;
import dev.longhaul.engine.WorkerConfig;
import dev.longhaul.engine.run.RunTracing;
import dev.longhaul.process.ProcessExecutor;
import dev.longhaul.process.supervise.ProcessUser;
import dev.longhaul.spi.Executor;
import dev.longhaul.work.ClaimRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Runs jobs of a server in this process, over RPC. Uses the same engine as workers that have database access. */
public final class RemoteWorker implements AutoCloseable {
    /** Time that the engine needs to stop a thread and to report the end of the run. */
    private static final Duration REPORTING = Duration.ofSeconds(15);

    private final Worker worker;

    private RemoteWorker(Worker worker) {
        this.worker = worker;
    }

    /** Registers the definitions with the server and starts to claim their jobs. */
    public static RemoteWorker start(
            LonghaulClient client, WorkerConfig config, List<JobDefinition<?, ?>> definitions) {
        return start(client, config, definitions, RunTracing.OFF);
    }

    /** Like the method above, and traces every run with the given tracer. */
    public static RemoteWorker start(
            LonghaulClient client, WorkerConfig config, List<JobDefinition<?, ?>> definitions, RunTracing tracing) {
        var registry = new Registry();
        definitions.forEach(registry::register);
        var source = new RpcWorkSource(client.channel(), endMargin(config.cancelGrace()));
        Map<String, Executor> executors = Map.of(
                Isolation.THREAD,
                new ThreadExecutor(),
                Isolation.PROCESS,
                new ProcessExecutor(config.cancelGrace(), config.slots(), ProcessUser.OWN));
        var backend = new WorkerBackend(source, executors, registry, config, null);
        backend.traceBy(tracing);
        backend.initialize();
        backend.prepare();
        var worker = new Worker(source, registry, config, backend);
        worker.start();
        return new RemoteWorker(worker);
    }

    /**
     * Returns how long the server waits before it ends a run: this worker enforces timeouts and cancels itself, and
     * needs the grace period and time to report the end.
     */
    private static Duration endMargin(Duration cancelGrace) {
        Duration margin = cancelGrace.plus(REPORTING);
        return margin.compareTo(ClaimRequest.LARGEST_END_MARGIN) < 0 ? margin : ClaimRequest.LARGEST_END_MARGIN;
    }

    /** Stops claiming and waits until running jobs have ended. */
    @Override
    public void close() {
        worker.close();
    }
}
