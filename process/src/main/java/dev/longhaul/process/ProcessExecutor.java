package dev.longhaul.process;

import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.process.command.CommandExecutor;
import dev.longhaul.process.command.CommandHandler;
import dev.longhaul.process.java.JavaExecutor;
import dev.longhaul.process.sitter.SitterMain;
import dev.longhaul.process.supervise.ClassPlace;
import dev.longhaul.process.supervise.Confinement;
import dev.longhaul.process.supervise.ProcessLimits;
import dev.longhaul.process.supervise.ProcessUser;
import dev.longhaul.process.supervise.Supervisor;
import dev.longhaul.spi.Execution;
import dev.longhaul.spi.Executor;
import dev.longhaul.spi.Health;
import dev.longhaul.spi.Outcome;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/** Runs each job in its own process: a command, or Java code in its own JVM. Starts nothing until a definition needs it. */
public final class ProcessExecutor implements Executor {
    private final Duration cancelGrace;
    private final int slots;
    private final ProcessUser user;
    private boolean shutDown;
    private @Nullable Supervisor supervisor;
    private @Nullable JavaExecutor children;

    /**
     * Creates an executor.
     *
     * @param cancelGrace time between TERM and KILL for a command that exceeds its own timeout
     * @param slots maximum number of concurrent runs
     * @param user the system user that the processes run as
     */
    public ProcessExecutor(Duration cancelGrace, int slots, ProcessUser user) {
        this.cancelGrace = cancelGrace;
        this.slots = slots;
        this.user = user;
    }

    @Override
    public String name() {
        return Isolation.PROCESS;
    }

    @Override
    public void initialize() {}

    @Override
    public void prepare(JobDefinition<?, ?> definition) {
        if (!(definition.isolation() instanceof Isolation.InProcess isolation)) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT,
                    definition.ref() + ": isolation: "
                            + definition.isolation().getClass().getSimpleName()
                            + " (expected: Isolation.process() for the executor process)");
        }
        Confinement.impossible().ifPresent(reason -> {
            throw new LonghaulException(
                    ErrorCode.FAILED_PRECONDITION,
                    definition.ref() + ": isolation: process (expected: isolation thread on this machine; " + reason
                            + ")");
        });
        // Fails at registration, not at the first job, if another JVM cannot load the sitter.
        ClassPlace.of(SitterMain.class);
        supervisor().confinement().require(ProcessLimits.of(isolation));
        if (!(definition.handler() instanceof CommandHandler)) {
            children().prepare(definition);
        }
    }

    @Override
    public boolean endsCode(JobDefinition<?, ?> definition) {
        return true;
    }

    @Override
    public Outcome execute(Execution execution) {
        if (execution.definition().handler() instanceof CommandHandler handler) {
            return new CommandExecutor(supervisor(), cancelGrace).execute(execution, handler);
        }
        return children().execute(execution);
    }

    private synchronized JavaExecutor children() {
        try {
            if (children == null) {
                children = new JavaExecutor(supervisor(), slots);
            }
            return children;
        } catch (IOException e) {
            throw new UncheckedIOException("cannot start child JVMs: opening their socket failed", e);
        }
    }

    private synchronized Supervisor supervisor() {
        if (shutDown) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "shutting down; no new processes are started");
        }
        if (supervisor == null) {
            supervisor = new Supervisor(Confinement.best(user));
        }
        return supervisor;
    }

    @Override
    public synchronized Health health() {
        String problem = supervisor == null ? null : supervisor.problem();
        return problem == null ? Health.OK : new Health(false, problem);
    }

    @Override
    public synchronized void shutdown() {
        shutDown = true;
        if (children != null) {
            children.close();
            children = null;
        }
        if (supervisor != null) {
            supervisor.close();
            supervisor = null;
        }
    }
}
