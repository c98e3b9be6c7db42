package dev.longhaul.client;

import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.Registry;
import dev.longhaul.engine.NamedExecutors;
import dev.longhaul.engine.ThreadExecutor;
import dev.longhaul.engine.Worker;
import dev.longhaul.engine.WorkerBackend;
import dev.longhaul.engine.WorkerConfig;
import dev.longhaul.engine.run.RunTracing;
import dev.longhaul.process.ProcessExecutor;
import dev.longhaul.process.supervise.ProcessUser;
import dev.longhaul.work.ClaimRequest;
import java.time.Duration;
import java.util.List;
import java.util.Map;

/** Runs jobs of a server in this process, with the engine that also runs them on a database. */
public final class RemoteWorker implements AutoCloseable {
    /** How long the engine may take to stop a thread and to report its end. */
    private static final Duration REPORTING = Duration.ofSeconds(15);

    private final Worker worker;

    private RemoteWorker(Worker worker) {
        this.worker = worker;
    }

    /** Makes the definitions known to the server, and begins to claim their jobs. */
    public static RemoteWorker start(
            LonghaulClient client, WorkerConfig config, List<JobDefinition<?, ?>> definitions) {
        return start(client, config, definitions, RunTracing.OFF);
    }

    /** As above, and has every run followed, for traces. */
    public static RemoteWorker start(
            LonghaulClient client, WorkerConfig config, List<JobDefinition<?, ?>> definitions, RunTracing tracing) {
        var registry = new Registry();
        definitions.forEach(registry::register);
        var source = new RpcWorkSource(client.channel(), endMargin(config.cancelGrace()));
        var executor = new NamedExecutors(Map.of(
                Isolation.THREAD,
                new ThreadExecutor(),
                Isolation.PROCESS,
                new ProcessExecutor(config.cancelGrace(), config.slots(), ProcessUser.OWN)));
        var backend = new WorkerBackend(source, executor, registry, config, null);
        backend.traceBy(tracing);
        backend.initialize();
        backend.prepare();
        var worker = new Worker(source, registry, config, backend);
        worker.start();
        return new RemoteWorker(worker);
    }

    /** Processes have the grace period to end after a timeout, too. The engine ends its runs itself; the server only helps out. */
    private static Duration endMargin(Duration cancelGrace) {
        Duration margin = cancelGrace.plus(REPORTING);
        return margin.compareTo(ClaimRequest.LARGEST_END_MARGIN) < 0 ? margin : ClaimRequest.LARGEST_END_MARGIN;
    }

    /** Claims no more, and waits for what runs. */
    @Override
    public void close() {
        worker.close();
    }
}
