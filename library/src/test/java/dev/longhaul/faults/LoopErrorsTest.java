package dev.longhaul.faults;

import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.AppenderBase;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.Longhaul;
import dev.longhaul.NewSchedule;
import dev.longhaul.internal.loop.Loops;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.Tally;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.database.PatientDataSource;
import dev.longhaul.schedule.Timing;
import dev.longhaul.testing.FaultVolume;
import dev.longhaul.testing.TestPostgres;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.parallel.Isolated;
import org.slf4j.LoggerFactory;

/**
 * Errors are thrown in every vital loop under load: health names the loop, work continues, no job is lost or runs
 * twice.
 */
@Tag("faults")
@Tag("full")
@Isolated("reads the health of the whole process")
class LoopErrorsTest {
    private static final int TIMES = FaultVolume.of(2, 10);
    private static final List<String> LOOPS = List.of(
            "claims",
            "begins",
            "completions",
            "leases",
            "hooks-due",
            "leader",
            "lease-reaper",
            "deadline-reaper",
            "schedule-firer");
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration LEASE = Duration.ofSeconds(15);
    private static final int HELD = 2;

    record Nothing() {}

    private final HikariDataSource pool =
            TestPostgres.pool(new PatientDataSource(TestPostgres.get().newDatabase(PostgresStore::migrate)), 12);
    private final PostgresStore postgres = PostgresStore.open(pool);
    private final FailingThread failing = new FailingThread();
    private final Map<JobId, Integer> runs = new ConcurrentHashMap<>();
    private final AtomicLong ended = new AtomicLong();
    private final AtomicLong hooked = new AtomicLong();
    private final CountDownLatch gate = new CountDownLatch(1);
    private final CountDownLatch enough = new CountDownLatch(1);
    private final Queue<JobId> asked = new ConcurrentLinkedQueue<>();

    private final JobDefinition<Nothing, Nothing> quick = JobDefinition.of("quick", Nothing.class, Nothing.class)
            .onSuccess((context, result) -> hooked.incrementAndGet())
            .handler((params, context) -> {
                count(context);
                context.step("one", Integer.class, () -> 1);
                ended.incrementAndGet();
                return params;
            });
    private final JobDefinition<Nothing, Nothing> held = JobDefinition.of("held", Nothing.class, Nothing.class)
            .handler((params, context) -> {
                count(context);
                gate.await();
                return params;
            });
    private final JobDefinition<Nothing, Nothing> late = JobDefinition.of("late", Nothing.class, Nothing.class)
            .timeout(Duration.ofSeconds(1))
            .maxAttempts(1)
            .handler((params, context) -> {
                gate.await();
                return params;
            });

    private final Longhaul longhaul = Longhaul.builder()
            .store(failing.of(postgres))
            .register(quick, held, late)
            .slots(HELD + 6)
            .lease(LEASE)
            .start();

    private void count(JobContext context) {
        runs.merge(Objects.requireNonNull(context.jobId()), 1, Integer::sum);
    }

    @AfterEach
    void close() {
        failing.fail("");
        enough.countDown();
        gate.countDown();
        longhaul.close();
        postgres.close();
        pool.close();
    }

    @Test
    @Timeout(900)
    void in_every_vital_loop_show_in_the_health_and_lose_nothing() throws Exception {
        for (int i = 0; i < HELD; i++) {
            asked.add(longhaul.later(held, new Nothing()));
        }
        longhaul.schedules().create(NewSchedule.of("each-second", Timing.cron("* * * * * *")), quick, new Nothing());
        var load = new Thread(this::load, "load");
        load.start();
        for (String loop : LOOPS) {
            for (int i = 0; i < TIMES; i++) {
                failing.fail("longhaul-" + loop);
                awaitDown(loop);
                failing.fail("");
                awaitUp(loop);
            }
        }
        killRunWatch();
        longhaul.schedules().delete("each-second");
        enough.countDown();
        load.join();
        gate.countDown();
        judge();
    }

    private void load() {
        try {
            while (!enough.await(20, TimeUnit.MILLISECONDS)) {
                asked.add(longhaul.later(quick, new Nothing()));
                // Its begin is stored before its code starts.
                asked.add(longhaul.later(
                        quick, new Nothing(), JobOptions.options().maxAttempts(1)));
            }
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    private void awaitDown(String loop) {
        long before = Loops.failures(loop);
        Rig.await(
                "health names " + loop,
                PATIENCE,
                () -> longhaul.health().detail().contains(loop + ": failing"));
        assertThat(Loops.failures(loop)).isGreaterThan(before);
    }

    private void awaitUp(String loop) {
        Rig.await(loop + " runs again", PATIENCE, () -> longhaul.health().healthy());
        long before = ended.get();
        Rig.await("work continues after " + loop, PATIENCE, () -> ended.get() > before + 5);
    }

    /** This loop calls no store, but it logs: an appender that throws has the same effect. */
    private void killRunWatch() {
        var logger = (Logger) LoggerFactory.getLogger("dev.longhaul.engine.RunWatch");
        var broken = new AppenderBase<ILoggingEvent>() {
            @Override
            protected void append(ILoggingEvent event) {
                throw new NoClassDefFoundError("planted");
            }
        };
        broken.start();
        for (int i = 0; i < TIMES; i++) {
            logger.addAppender(broken);
            JobId id = longhaul.later(late, new Nothing());
            awaitDown("run-watch");
            logger.detachAppender(broken);
            awaitUp("run-watch");
            Rig.await("the job times out", PATIENCE, () -> job(id).state() == JobState.FAILED);
            assertThat(Objects.requireNonNull(job(id).failure()).code()).isEqualTo(Failure.TIMEOUT);
        }
    }

    private void judge() {
        Rig.await(
                "all jobs have ended",
                PATIENCE,
                () -> asked.stream().allMatch(id -> job(id).state().terminal()));
        assertThat(asked).allSatisfy(id -> {
            assertThat(job(id).state()).isEqualTo(JobState.SUCCEEDED);
            assertThat(job(id).tally()).as("one run, no crash").isEqualTo(new Tally(1, 1, 0));
        });
        assertThat(runs.values()).as("runs of each job").containsOnly(1);
        Rig.await("hooks have run", PATIENCE, () -> hooked.get() >= asked.size() - HELD);
        FaultVolume.tell(
                "%d errors in %d loops while %d jobs ran: none lost, none ran twice",
                failing.thrown(), LOOPS.size() + 1, runs.size());
    }

    private Job job(JobId id) {
        return postgres.jobs().find(id).orElseThrow();
    }
}
