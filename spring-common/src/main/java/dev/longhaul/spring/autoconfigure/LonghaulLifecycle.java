package dev.longhaul.spring.autoconfigure;

import dev.longhaul.Longhaul;
import dev.longhaul.spring.job.DeclaredJobs;
import dev.longhaul.spring.job.JobClients;
import org.springframework.beans.factory.SmartInitializingSingleton;
import org.springframework.context.SmartLifecycle;

/**
 * Runs jobs while the context runs: registers the definitions once all beans exist, starts in the last phase and stops in the
 * first, while everything that handlers use still works. Jobs can be enqueued until the Longhaul itself is closed.
 */
final class LonghaulLifecycle implements SmartInitializingSingleton, SmartLifecycle {
    private final Longhaul longhaul;
    private final DeclaredJobs jobs;
    private final JobClients clients;
    private volatile boolean running;

    LonghaulLifecycle(Longhaul longhaul, DeclaredJobs jobs, JobClients clients) {
        this.longhaul = longhaul;
        this.jobs = jobs;
        this.clients = clients;
    }

    @Override
    public void afterSingletonsInstantiated() {
        jobs.registerIn(longhaul.registry());
        clients.registered();
    }

    @Override
    public void start() {
        longhaul.start();
        running = true;
    }

    @Override
    public void stop() {
        running = false;
        longhaul.stop();
    }

    /** Drains in a thread of its own, so that other beans of the phase stop meanwhile. */
    @Override
    public void stop(Runnable callback) {
        var draining = new Thread(
                () -> {
                    try {
                        stop();
                    } finally {
                        callback.run();
                    }
                },
                "longhaul-drain");
        draining.start();
    }

    @Override
    public boolean isRunning() {
        return running;
    }

    @Override
    public int getPhase() {
        return DEFAULT_PHASE;
    }
}
