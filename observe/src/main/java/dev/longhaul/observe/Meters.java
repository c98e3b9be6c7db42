package dev.longhaul.observe;

import dev.longhaul.internal.loop.Loops;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobSpec;
import dev.longhaul.process.ProcessFigures;
import dev.longhaul.schedule.Fire;
import dev.longhaul.spi.StoreListener;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.EndedRun;
import dev.longhaul.work.Expired;
import dev.longhaul.work.LeaseRenewal;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.FunctionCounter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.MeterRegistry;
import io.micrometer.core.instrument.Timer;
import java.time.Duration;
import java.util.Arrays;
import java.util.EnumMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicBoolean;
import org.jspecify.annotations.Nullable;

/**
 * Metrics of one process, in the caller's registry. Register it with {@code Longhaul.builder().observe(meters)} or
 * {@link dev.longhaul.spi.Store#observe}. The registry must stay open as long as the process runs jobs.
 */
public final class Meters implements StoreListener {
    /** Maximum number of definitions, and of queues, with their own time series. */
    static final int MOST_NAMES = 200;

    private static final Duration[] LATENESS = {
        Duration.ofMillis(100),
        Duration.ofMillis(500),
        Duration.ofSeconds(2),
        Duration.ofSeconds(10),
        Duration.ofMinutes(1)
    };

    private final MeterRegistry registry;
    private final BoundedLabel definitions = new BoundedLabel(MOST_NAMES);
    private final Map<String, DefinitionMeters> byDefinition = new ConcurrentHashMap<>();
    private final Map<Operation, OperationMeters> byOperation = new EnumMap<>(Operation.class);
    private final Counter expired;
    private final Counter events;
    private final Timer lateness;
    private final AtomicBoolean leads = new AtomicBoolean();
    private final Map<String, Counter> fires = new ConcurrentHashMap<>();
    private final Map<String, Counter> stale = new ConcurrentHashMap<>();
    private final Set<String> loops = ConcurrentHashMap.newKeySet();
    private final LiveRunMeters runs;

    public Meters(MeterRegistry registry) {
        this.registry = registry;
        this.expired = Counter.builder("longhaul.leases.expired")
                .description("Runs ended because their lease expired without renewal.")
                .register(registry);
        this.events = Counter.builder("longhaul.events.stored")
                .description("Stored events that runs reported.")
                .register(registry);
        this.lateness = Timer.builder("longhaul.schedule.lateness")
                .description("Time from the planned fire time of a schedule until it fired.")
                .serviceLevelObjectives(LATENESS)
                .register(registry);
        Gauge.builder("longhaul.leader", leads, one -> one.get() ? 1 : 0)
                .description("1 while this process is the leader, which runs the maintenance tasks for all.")
                .register(registry);
        processes();
        // Registered now, so that an unused counter is 0 instead of missing.
        Arrays.stream(Fire.Outcome.values()).forEach(this::fires);
        for (Operation operation : Operation.values()) {
            byOperation.put(
                    operation, OperationMeters.of(registry, operation.name().toLowerCase(Locale.ROOT)));
        }
        this.runs = new LiveRunMeters(this);
    }

    private void processes() {
        FunctionCounter.builder("longhaul.processes.started", this, same -> ProcessFigures.started())
                .description("Processes started for runs, including JVMs that wait for a run.")
                .register(registry);
        FunctionCounter.builder("longhaul.processes.killed", this, same -> ProcessFigures.killed())
                .description("Processes of runs that were killed.")
                .register(registry);
        Gauge.builder("longhaul.processes.alive", ProcessFigures::alive)
                .description("Processes of runs that are alive.")
                .register(registry);
        Gauge.builder("longhaul.processes.waiting", ProcessFigures::waiting)
                .description("JVMs that wait for a run.")
                .register(registry);
    }

    public MeterRegistry registry() {
        return registry;
    }

    /** Adds meters of background loops started since the last call. Call it before the registry is published. */
    public void refresh() {
        for (String loop : Loops.names()) {
            if (loops.add(loop)) { // Micrometer logs a warning when a function counter is registered twice
                FunctionCounter.builder("longhaul.loop.failures", loop, Loops::failures)
                        .description("Passes of a background loop that failed with an unexpected error.")
                        .tag("loop", loop)
                        .register(registry);
            }
        }
    }

    DefinitionMeters definition(String key) {
        DefinitionMeters known = byDefinition.get(key);
        if (known != null) {
            return known;
        }
        String label = definitions.of(key);
        return byDefinition.computeIfAbsent(label, name -> DefinitionMeters.of(registry, name));
    }

    OperationMeters operation(Operation operation) {
        return Objects.requireNonNull(byOperation.get(operation));
    }

    /** Returns the counter of writes that were rejected because the writer no longer owned the job. */
    Counter stale(String operation) {
        return stale.computeIfAbsent(
                operation,
                name -> Counter.builder("longhaul.writes.stale")
                        .description("Writes rejected because their claim was no longer valid.")
                        .tag("operation", name)
                        .register(registry));
    }

    private Counter fires(Fire.Outcome outcome) {
        return fires.computeIfAbsent(
                outcome.wireName(),
                name -> Counter.builder("longhaul.schedule.fires")
                        .description("Fires of schedules, by outcome.")
                        .tag("outcome", name)
                        .register(registry));
    }

    Counter leasesExpired() {
        return expired;
    }

    // StoreListener

    @Override
    public void called(Operation operation, Duration took, int jobs, @Nullable Throwable failure) {
        operation(operation).called(took, jobs, failure);
    }

    @Override
    public void enqueued(List<JobSpec> jobs) {
        for (JobSpec job : jobs) {
            definition(job.definition().key()).enqueued().increment();
        }
    }

    @Override
    public void claimed(List<ClaimedJob> claimed, @Nullable Duration lease) {
        claimed.forEach(one -> runs.claimed(one, lease));
    }

    @Override
    public void extended(List<LeaseRenewal> answers, Duration lease) {
        runs.extended(answers, lease);
    }

    @Override
    public void saved(List<RunUpdate> updates, List<Verdict> verdicts) {
        for (int i = 0; i < verdicts.size(); i++) {
            if (verdicts.get(i).won()) {
                events.increment(updates.get(i).events().size());
            } else if (verdicts.get(i).lost()) {
                stale("save").increment();
            }
        }
    }

    @Override
    public void applying(List<Transition> transitions) {
        runs.applying(transitions);
    }

    @Override
    public void ended(Claim claim, EndedRun run) {
        runs.ended(claim, run);
    }

    @Override
    public void applied(List<Transition> transitions, List<Verdict> verdicts) {
        for (int i = 0; i < verdicts.size(); i++) {
            runs.applied(transitions.get(i), verdicts.get(i));
        }
    }

    @Override
    public void cancelled(Job job) {
        definition(job.spec().definition().key()).cancelled().increment();
    }

    @Override
    public void expired(List<Expired> runs) {
        for (Expired one : runs) {
            expired.increment();
            LiveRunMeters.count(definition(one.definitionKey()), one.state(), true, true);
        }
    }

    @Override
    public void leads(boolean does) {
        leads.set(does);
    }

    @Override
    public void fired(List<Fire> fired) {
        for (Fire fire : fired) {
            if (fire.cause() == Fire.Cause.SCHEDULED) {
                Duration late = Duration.between(fire.fireAt(), fire.firedAt());
                lateness.record(late.isNegative() ? Duration.ZERO : late);
            }
            fires(fire.outcome()).increment();
        }
    }
}
