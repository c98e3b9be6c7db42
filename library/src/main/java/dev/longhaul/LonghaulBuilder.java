package dev.longhaul;

import dev.longhaul.engine.ThreadExecutor;
import dev.longhaul.engine.Worker;
import dev.longhaul.engine.WorkerBackend;
import dev.longhaul.engine.WorkerConfig;
import dev.longhaul.engine.run.RunTracing;
import dev.longhaul.engine.upkeep.Scheduler;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.error.Problems;
import dev.longhaul.internal.loop.Closing;
import dev.longhaul.internal.text.Names;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.job.CallerTransaction;
import dev.longhaul.process.ProcessExecutor;
import dev.longhaul.process.supervise.ProcessUser;
import dev.longhaul.spi.Executor;
import dev.longhaul.spi.Store;
import dev.longhaul.spi.StoreListener;
import dev.longhaul.spi.Subscription;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.function.Supplier;
import javax.sql.DataSource;
import org.jspecify.annotations.Nullable;

/** Collects the settings of a {@link Longhaul}; {@link #start()} checks them and starts it. */
public final class LonghaulBuilder {
    private static final Duration DEFAULT_RETENTION = Duration.ofDays(7);

    private final Registry registry = new Registry();
    private @Nullable Supplier<Store> store;
    private boolean ownsStore = true;
    private @Nullable DataSource dataSource;
    private boolean queuesChosen;
    private WorkerConfig config = WorkerConfig.DEFAULT.withWorkerId(WorkerConfig.newId());
    private Duration retention = DEFAULT_RETENTION;
    private boolean working = true;
    private boolean scheduling = true;
    private boolean closeOnShutdown;
    private @Nullable String processUser;
    private final Map<String, Executor> executors = new HashMap<>();
    private final List<StoreListener> listeners = new ArrayList<>();
    private RunTracing tracing = RunTracing.OFF;
    private CallerTransaction caller = CallerTransaction.NONE;
    private Supplier<@Nullable String> traceparent = () -> null;

    LonghaulBuilder() {}

    /**
     * Stores jobs in PostgreSQL. The DataSource should be a pool of five connections plus those that handlers hold;
     * the caller closes it.
     */
    public LonghaulBuilder postgres(DataSource dataSource) {
        return postgres(dataSource, true);
    }

    /**
     * Stores jobs in PostgreSQL, like {@link #postgres(DataSource)}.
     *
     * @param migrate whether to migrate an outdated schema; if false, an outdated schema is rejected
     */
    public LonghaulBuilder postgres(DataSource dataSource, boolean migrate) {
        this.dataSource = dataSource;
        this.store = () -> PostgresStore.open(dataSource, migrate);
        return this;
    }

    /** Stores jobs in the memory of this process, for tests and demos. They are lost when the process ends. */
    public LonghaulBuilder memory() {
        this.store = MemoryStore::new;
        return this;
    }

    /** Uses the given store. The caller closes it. */
    public LonghaulBuilder store(Store store) {
        this.store = () -> store;
        this.ownsStore = false;
        return this;
    }

    /** Registers definitions: their jobs can be enqueued and, without {@link #enqueueOnly()}, run in this process. */
    public LonghaulBuilder register(JobDefinition<?, ?>... definitions) {
        for (JobDefinition<?, ?> definition : definitions) {
            registry.register(definition);
        }
        return this;
    }

    /** Sets how many jobs run at the same time; max(4, 2 × cores) by default. */
    public LonghaulBuilder slots(int slots) {
        this.config = config.withSlots(slots);
        return this;
    }

    /**
     * Sets the queues to serve, without a limit per queue; by default {@code default} and the queues of the
     * definitions.
     */
    public LonghaulBuilder queues(String... queues) {
        var all = new LinkedHashMap<String, Integer>();
        for (String queue : queues) {
            all.put(queue, WorkerConfig.ANY);
        }
        return queues(all);
    }

    /** Sets the queues to serve, and the maximum number of slots of each queue. */
    public LonghaulBuilder queues(Map<String, Integer> queues) {
        this.queuesChosen = true;
        this.config = config.withQueues(queues);
        return this;
    }

    /**
     * Sets the lease of a claimed job: if its worker stops renewing the lease, other workers get the job after this
     * time.
     */
    public LonghaulBuilder lease(Duration lease) {
        this.config = config.withLease(lease);
        return this;
    }

    /** Sets the grace period of cancelled code before its thread is interrupted. */
    public LonghaulBuilder cancelGrace(Duration cancelGrace) {
        this.config = config.withCancelGrace(cancelGrace);
        return this;
    }

    /** Sets how long {@link Longhaul#close} waits for running jobs before it gives them back. */
    public LonghaulBuilder drain(Duration drain) {
        this.config = config.withDrain(drain);
        return this;
    }

    /**
     * Sets whether failed attempts are logged (logger {@code dev.longhaul.failures}): WARN with the stack trace for
     * each failed attempt, ERROR when the job has failed permanently. True by default.
     */
    public LonghaulBuilder logFailures(boolean logFailures) {
        this.config = config.withLogFailures(logFailures);
        return this;
    }

    /** Sets how long ended jobs are kept. */
    public LonghaulBuilder retention(Duration retention) {
        this.retention = retention;
        return this;
    }

    /** Sets the id of this process as a worker; unique by default. */
    public LonghaulBuilder workerId(String workerId) {
        this.config = config.withWorkerId(workerId);
        return this;
    }

    /**
     * Sets the operating-system user of jobs in separate processes, by default the user of this process. Another user
     * can neither read nor signal this process. Only root can start processes as another user.
     */
    public LonghaulBuilder processUser(String name) {
        this.processUser = name;
        return this;
    }

    /**
     * Registers an executor. It runs the definitions whose {@link Isolation#executor} has that name. {@code thread} and
     * {@code process} are registered by default.
     */
    public LonghaulBuilder executor(String name, Executor executor) {
        new Problems().require(Names.valid(name), "executor", name, Names.RULE).throwIfAny();
        executors.put(name, executor);
        return this;
    }

    /**
     * Notifies {@code listener} of the store's operations in this process, for metrics. The artifact
     * {@code longhaul-observe} contains such a listener: {@code Meters}.
     */
    public LonghaulBuilder observe(StoreListener listener) {
        listeners.add(listener);
        return this;
    }

    /** Traces every run with the given tracer. */
    public LonghaulBuilder traceBy(RunTracing tracing) {
        this.tracing = tracing;
        return this;
    }

    /**
     * Stores the caller's W3C trace context with jobs that are enqueued in Java, so that their runs belong to the
     * caller's trace. A context in the options of a job has precedence.
     */
    public LonghaulBuilder traceparent(Supplier<@Nullable String> current) {
        this.traceparent = current;
        return this;
    }

    /** Disables claiming in this process: other processes run the jobs, or {@link Longhaul#tick} does. */
    public LonghaulBuilder enqueueOnly() {
        this.working = false;
        this.scheduling = false;
        return this;
    }

    /** Disables claiming in this process. It can still become the leader, which runs the maintenance tasks. */
    public LonghaulBuilder maintenanceOnly() {
        this.working = false;
        this.scheduling = true;
        return this;
    }

    /** Prevents this process from becoming the leader: other processes run the maintenance tasks. */
    public LonghaulBuilder noMaintenance() {
        this.scheduling = false;
        return this;
    }

    /** Drains and closes this instance on SIGTERM or SIGINT. On a second signal the process exits immediately. */
    public LonghaulBuilder closeOnShutdown() {
        this.closeOnShutdown = true;
        return this;
    }

    /**
     * Stores jobs that are enqueued within a transaction of a framework, such as Spring, in that transaction. Requires
     * PostgreSQL. Longhaul's own reads and writes never join it.
     */
    public LonghaulBuilder joinTransactions(CallerTransaction caller) {
        this.caller = caller;
        return this;
    }

    /** Opens the store and starts running jobs. */
    public Longhaul start() {
        Longhaul longhaul = open();
        try {
            longhaul.start();
        } catch (RuntimeException e) {
            longhaul.close();
            throw e;
        }
        return longhaul;
    }

    /**
     * Opens the store without running jobs. Until {@link Longhaul#start}, jobs can be enqueued, and definitions added
     * to {@link Longhaul#registry}.
     */
    public Longhaul open() {
        if (store == null) {
            throw new LonghaulException(
                    ErrorCode.INVALID_ARGUMENT, "store: none (expected: postgres(dataSource), memory() or store(…))");
        }
        ProcessUser user = processUser == null ? ProcessUser.OWN : ProcessUser.named(processUser);
        Store opened = store.get();
        List<Subscription> observed = listeners.stream().map(opened::observe).toList();
        Runnable release = () -> {
            observed.forEach(Subscription::close);
            if (ownsStore) {
                opened.close();
            }
        };
        var longhaul = new Longhaul(
                new Longhaul.Parts(registry, opened, caller, traceparent, () -> engine(opened, user), release));
        if (closeOnShutdown) {
            Shutdown.closes(longhaul);
        }
        return longhaul;
    }

    /** Creates an engine for the definitions that are registered now. */
    private Engine engine(Store opened, ProcessUser user) {
        WorkerConfig served = queuesChosen ? config : withQueuesOfDefinitions();
        var all = new HashMap<String, Executor>(executors);
        all.putIfAbsent(Isolation.THREAD, new ThreadExecutor());
        all.putIfAbsent(Isolation.PROCESS, new ProcessExecutor(served.cancelGrace(), served.slots(), user));
        var backend = new WorkerBackend(opened.work(), all, registry, served, dataSource);
        backend.traceBy(tracing);
        backend.initialize();
        Worker worker = working ? new Worker(opened.work(), registry, served, backend) : null;
        Scheduler scheduler = scheduling ? new Scheduler(opened, served.workerId(), served.lease(), retention) : null;
        return new Engine(backend, worker, scheduler);
    }

    private WorkerConfig withQueuesOfDefinitions() {
        var served = new TreeMap<String, Integer>(config.queues());
        registry.all().forEach(definition -> served.put(definition.queue(), WorkerConfig.ANY));
        return config.withQueues(served);
    }

    /**
     * Runs the jobs of a Longhaul from its start until it is stopped.
     *
     * @param worker null when it claims no jobs itself
     * @param scheduler null when it never becomes the leader
     */
    record Engine(
            WorkerBackend backend,
            @Nullable Worker worker,
            @Nullable Scheduler scheduler) {
        /** Starts the maintenance tasks, then claims jobs. The backend has been initialized. */
        void start() {
            if (scheduler != null) {
                scheduler.start();
            }
            if (worker != null) {
                backend.prepare();
                worker.start();
            }
        }

        void stopClaiming() {
            if (worker != null) {
                worker.stopClaiming();
            }
        }

        /** Stops claiming, drains, and stops; stopping twice has no effect. */
        void stop(Closing closing) {
            if (worker != null) {
                closing.part(worker::close);
            }
            closing.part(backend::close);
            if (scheduler != null) {
                closing.part(scheduler::close);
            }
        }
    }
}
