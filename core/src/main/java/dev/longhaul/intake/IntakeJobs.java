package dev.longhaul.intake;

import dev.longhaul.JobQuery;
import dev.longhaul.access.Actor;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.JobEvent;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Run;
import dev.longhaul.spi.CommandResult;
import dev.longhaul.spi.Inserted;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.JobCounts;
import dev.longhaul.spi.JobPage;
import dev.longhaul.spi.JobStore;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Writes jobs directly, or appends the write to the log; reads are the store's. */
final class IntakeJobs implements JobStore {
    private static final Duration SLOW = Duration.ofMillis(500);

    private final JobStore jobs;
    private final IntakeProgress progress;
    private final Intake intake;
    private final IntakeMode when;
    private final Backlog backlog;
    private final Outage outage;
    /** Separate, because a slow store is available for everything else. */
    private final Outage slow = new Outage("new jobs go to the intake", System::nanoTime);

    private final ExecutorService direct = Executors.newCachedThreadPool(task -> {
        var thread = new Thread(task, "longhaul-intake-direct");
        thread.setDaemon(true);
        return thread;
    });

    IntakeJobs(JobStore jobs, IntakeProgress progress, Intake intake, IntakeMode when, Backlog backlog, Outage outage) {
        this.jobs = jobs;
        this.progress = progress;
        this.intake = intake;
        this.when = when;
        this.backlog = backlog;
        this.outage = outage;
    }

    // Inserts

    @Override
    public List<Inserted> insert(List<JobSpec> specs) {
        return insert(specs, jobs::insert);
    }

    List<Inserted> insert(List<JobSpec> specs, Function<List<JobSpec>, List<Inserted>> insert) {
        if (specs.isEmpty()) {
            return insert.apply(specs);
        }
        if (when == IntakeMode.ALWAYS) {
            return append(specs);
        }
        List<Inserted> inserted = when == IntakeMode.SLOW
                ? slow.ifAvailable(() -> inTime(() -> insertNow(specs, insert)))
                : outage.ifAvailable(() -> insert.apply(specs));
        return inserted == null ? append(specs) : inserted;
    }

    private List<Inserted> insertNow(List<JobSpec> specs, Function<List<JobSpec>, List<Inserted>> insert) {
        List<Inserted> inserted = outage.ifAvailable(() -> insert.apply(specs));
        if (inserted == null) {
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "database unavailable");
        }
        return inserted;
    }

    private List<Inserted> append(List<JobSpec> specs) {
        Actor actor = Actor.current();
        appendAll(specs.stream()
                .<IntakeRecord>map(spec -> new IntakeRecord.Create(spec, actor))
                .toList());
        Instant now = Instant.now().truncatedTo(ChronoUnit.MICROS);
        return specs.stream()
                .map(spec -> new Inserted(Job.of(spec, now), true, true))
                .toList();
    }

    // Commands

    @Override
    public CommandResult execute(JobCommand command) {
        if (!deferrable(command)) {
            return executeNow(command);
        }
        // Not if it is unknown: the store must not execute a command before records that it may not have yet.
        Boolean waits = outage.ifAvailable(() -> backlog.holds(command.id()));
        CommandResult result = waits == null || waits ? null : outage.ifAvailable(() -> executeNow(command));
        return result == null ? append(command) : result;
    }

    /** A cancel without a caller is from the scheduler, which repeats it until the store has executed it. */
    private static boolean deferrable(JobCommand command) {
        return command instanceof JobCommand.Edit
                || (command instanceof JobCommand.Cancel cancel && cancel.by() != null);
    }

    /** Executes the command; one for an alias changes the first job. */
    private CommandResult executeNow(JobCommand command) {
        try {
            return jobs.execute(command);
        } catch (LonghaulException e) {
            Optional<JobId> first = e.code() == ErrorCode.NOT_FOUND ? progress.aliasOf(command.id()) : Optional.empty();
            return jobs.execute(command.of(first.orElseThrow(() -> e)));
        }
    }

    private CommandResult append(JobCommand command) {
        appendAll(List.of(new IntakeRecord.Change(command, Actor.current())));
        return CommandResult.DEFERRED;
    }

    private void appendAll(List<IntakeRecord> records) {
        backlog.appended(intake.append(records));
    }

    /** Returns the result of a direct insert; throws {@code unavailable} if it takes too long. */
    private <T> T inTime(Supplier<T> write) {
        CompletableFuture<T> result = CompletableFuture.supplyAsync(write, direct);
        try {
            return result.get(SLOW.toMillis(), TimeUnit.MILLISECONDS);
        } catch (TimeoutException e) {
            throw new LonghaulException(
                    ErrorCode.UNAVAILABLE, "no response of the store within " + SLOW.toMillis() + " ms", e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new LonghaulException(ErrorCode.UNAVAILABLE, "interrupted while waiting for the store", e);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof RuntimeException failure) {
                throw failure;
            }
            if (e.getCause() instanceof Error failure) {
                throw failure;
            }
            throw new IllegalStateException(e.getCause());
        }
    }

    // Reads

    @Override
    public Optional<Job> find(JobId id) {
        return jobs.find(id).or(() -> progress.aliasOf(id).flatMap(jobs::find));
    }

    @Override
    public Optional<Job> find(String definitionKey, @Nullable Integer version, String idempotencyKey) {
        return jobs.find(definitionKey, version, idempotencyKey);
    }

    @Override
    public JobPage list(JobQuery query) {
        return jobs.list(query);
    }

    @Override
    public JobCounts count(JobQuery query) {
        return jobs.count(query);
    }

    @Override
    public List<Run> runs(JobId id, int after, int limit) {
        return jobs.runs(id, after, limit);
    }

    @Override
    public List<JobEvent> events(EventQuery query) {
        return jobs.events(query);
    }

    @Override
    public OptionalInt lastSequence(Claim claim) {
        return jobs.lastSequence(claim);
    }

    void close() {
        direct.shutdownNow();
    }
}
