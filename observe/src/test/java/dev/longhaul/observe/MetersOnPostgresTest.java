package dev.longhaul.observe;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.JobTemplate;
import dev.longhaul.schedule.Overlap;
import dev.longhaul.schedule.ScheduleSpec;
import dev.longhaul.schedule.Timetable;
import dev.longhaul.schedule.Timing;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.Store;
import dev.longhaul.testing.StatementCount;
import dev.longhaul.testing.TestPostgres;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** Metrics send no statements, and count ends that PostgreSQL stores in several commits. */
class MetersOnPostgresTest {
    private static final DefinitionRef REPORT = new DefinitionRef("report", 1);
    private static final Duration LEASE = Duration.ofMinutes(1);

    private final HikariDataSource pool = TestPostgres.pool(TestPostgres.get().newDatabase(), 10);
    private final StatementCount statements = new StatementCount(pool);
    private final PostgresStore plain = PostgresStore.open(statements.dataSource());
    private final PostgresStore metered = PostgresStore.open(statements.dataSource());
    private final Meters meters = new Meters(new SimpleMeterRegistry());

    @BeforeEach
    void observe() {
        metered.observe(meters);
    }

    @AfterEach
    void close() {
        plain.close();
        metered.close();
        pool.close();
    }

    private static JobId waiting(Store store) {
        JobSpec spec = JobSpec.of(REPORT, "{}").build();
        store.jobs().insert(List.of(spec));
        return spec.id();
    }

    @Test
    void a_metered_cancel_sends_no_additional_statement() {
        JobId first = waiting(plain);
        JobId second = waiting(plain);
        List<String> unmetered = statements.of(() -> plain.jobs().execute(JobCommand.cancel(first, null, null, null)));

        assertThat(statements.of(() -> metered.jobs().execute(JobCommand.cancel(second, null, null, null))))
                .isEqualTo(unmetered);
        assertThat(meters.definition("report").cancelled().count()).isEqualTo(1);
    }

    @Test
    void a_metered_trigger_sends_no_additional_statement() {
        var hourly = Timetable.of(Timing.every(Duration.ofHours(1), plain.now().plusSeconds(3600)));
        JobTemplate job = JobTemplate.of(JobSpec.of(REPORT, "{}").build());
        plain.schedules().create(new ScheduleSpec("hourly", job, hourly, CatchUp.DEFAULT, Overlap.ALLOW), false, null);
        plain.schedules().trigger("hourly", null);
        List<String> unmetered = statements.of(() -> plain.schedules().trigger("hourly", null));

        assertThat(statements.of(() -> metered.schedules().trigger("hourly", null)))
                .isEqualTo(unmetered);
        assertThat(meters.definition("report").enqueued().count()).isEqualTo(1);
    }

    @Test
    void ends_that_are_stored_around_a_locked_row_are_counted_where_they_are_stored() throws SQLException {
        IntStream.range(0, 3).forEach(i -> waiting(plain));
        List<Claim> claims = plain.work().claim(ClaimRequest.of("w1", List.of("default"), null, 3, LEASE)).stream()
                .map(ClaimedJob::claim)
                .toList();
        Failure boom = Failure.of(Failure.EXCEPTION, "boom");
        List<Transition> ends = List.of(
                Transition.succeed(claims.get(0), "1"),
                Transition.fail(claims.get(1), boom),
                Transition.fail(claims.get(2), boom));
        try (Connection other = lock(claims.get(1).jobId())) {
            assertThat(metered.work().apply(ends))
                    .extracting(Verdict::kind)
                    .containsExactly(Verdict.Kind.WON, Verdict.Kind.LOCKED, Verdict.Kind.WON);
            other.rollback();
        }
        assertThat(metered.work().apply(ends)).allMatch(Verdict::won);

        DefinitionMeters report = meters.definition("report");
        assertThat(report.succeeded().count()).isEqualTo(1);
        assertThat(report.failed().count()).isEqualTo(2);
        assertThat(report.ran().count()).isEqualTo(3);
    }

    /** Another session that locks the job's row. */
    private Connection lock(JobId id) throws SQLException {
        Connection other = pool.getConnection();
        other.setAutoCommit(false);
        try (PreparedStatement lock = other.prepareStatement("select from longhaul.live_job where id = ? for update")) {
            lock.setObject(1, id.value());
            lock.execute();
        }
        return other;
    }
}
