package dev.longhaul.postgres.database;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Lease;
import dev.longhaul.job.Progress;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.Leadership;
import dev.longhaul.testing.TestPostgres;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Expired;
import dev.longhaul.work.LeaseRenewal;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Objects;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

/** Partial outages: one locked row, a disk that refuses some writes. They must not make active workers lose their jobs. */
class LockedRowsTest {
    private static final Duration LEASE = Duration.ofMillis(400);

    private final HikariDataSource pool = TestPostgres.pool(TestPostgres.get().newDatabase(), 10);
    private final PostgresStore store = PostgresStore.open(pool);

    @AfterEach
    void close() {
        store.close();
        pool.close();
    }

    @Nested
    class Renewing {
        @Test
        void passes_over_a_locked_row_and_keeps_its_lease_too() throws Exception {
            List<Claim> claims = running(6);
            Claim locked = claims.get(2);
            try (Connection other = lock(locked.jobId())) {
                Instant before = leaseOf(claims.get(0)).until();
                List<LeaseRenewal> answers = store.work().extend(claims, Duration.ofMinutes(1));

                assertThat(answers).allMatch(LeaseRenewal::held);
                assertThat(leaseOf(claims.get(0)).until()).isAfter(before.plusSeconds(30));
                other.rollback();
            }
            awaitLapseOf(locked);
            assertThat(expire()).isEmpty();
            assertThat(store.jobs().find(locked.jobId()).orElseThrow().tally().run())
                    .isEqualTo(1);
        }

        @Test
        void learns_of_a_cancel_of_a_locked_row() throws Exception {
            Claim claim = running(1).get(0);
            store.jobs().execute(JobCommand.cancel(claim.jobId(), null, "not needed", null));
            try (Connection other = lock(claim.jobId())) {
                LeaseRenewal answer = store.work().extend(List.of(claim), LEASE).get(0);

                assertThat(Objects.requireNonNull(answer.cancelRequest()).reason())
                        .isEqualTo("not needed");
                other.rollback();
            }
        }

        @Test
        void of_a_locked_row_ends_with_its_worker() throws Exception {
            Claim claim = running(1).get(0);
            try (Connection other = lock(claim.jobId())) {
                assertThat(store.work().extend(List.of(claim), LEASE).get(0).held())
                        .isTrue();
                other.rollback();
            }
            awaitLapseOf(claim);
            awaitHeldLeasesEnd();

            assertThat(expire()).extracting(Expired::claim).containsExactly(claim);
            assertThat(store.work().extend(List.of(claim), LEASE).get(0).held()).isFalse();
        }

        @Test
        void that_the_disk_refuses_takes_no_job_from_its_worker() throws Exception {
            Claim claim = running(1).get(0);
            // As with a full disk: renewals need new space, the leader's row does not.
            execute(
                    "create function refuse() returns trigger language plpgsql as "
                            + "$$ begin raise exception 'could not extend file: no space left' using errcode = '53100'; end $$",
                    "create trigger refuse before update on longhaul.live_job for each row "
                            + "when (old.lease_until is distinct from new.lease_until and new.lease_until is not null) "
                            + "execute function refuse()");
            leadSteadily();
            LonghaulException refused = catchThrowableOfType(
                    LonghaulException.class, () -> store.work().extend(List.of(claim), LEASE));
            assertThat(refused.code()).isEqualTo(ErrorCode.UNAVAILABLE);

            awaitLapseOf(claim);
            Leadership leads = lead();
            assertThat(store.upkeep().expireLeases(leads, 10)).isEmpty();
            execute("drop trigger refuse on longhaul.live_job");
            assertThat(store.work().extend(List.of(claim), LEASE).get(0).held()).isTrue();
        }
    }

    @Nested
    class Begin {
        @Test
        void passes_over_a_locked_row_which_is_not_lost() throws Exception {
            List<Claim> claims = running(3);
            execute("update longhaul.live_job set begun = false");
            try (Connection other = lock(claims.get(1).jobId())) {
                assertThat(store.work().begin(claims))
                        .extracting(Verdict::kind)
                        .containsExactly(Verdict.Kind.WON, Verdict.Kind.LOCKED, Verdict.Kind.WON);
                other.rollback();
            }
            assertThat(store.work().begin(claims)).allMatch(Verdict::won);
        }
    }

    @Nested
    class Ends {
        @Test
        @Tag("full")
        void of_other_jobs_are_stored_while_a_row_is_locked() throws Exception {
            List<Claim> claims = running(5);
            List<Transition> ends = List.of(
                    Transition.succeed(claims.get(0), "{}"),
                    Transition.succeed(claims.get(1), "{}"),
                    Transition.giveBack(claims.get(2)),
                    Transition.fail(claims.get(3), Failure.of(Failure.EXCEPTION, "boom")),
                    Transition.succeed(claims.get(4), "{}"));
            try (Connection other = lock(claims.get(1).jobId(), claims.get(3).jobId())) {
                assertThat(store.work().apply(ends))
                        .extracting(Verdict::kind)
                        .containsExactly(
                                Verdict.Kind.WON,
                                Verdict.Kind.LOCKED,
                                Verdict.Kind.WON,
                                Verdict.Kind.LOCKED,
                                Verdict.Kind.WON);
                assertThat(store.work()
                                .save(claims.stream()
                                        .filter(claim -> claim.equals(claims.get(1)))
                                        .map(claim -> RunUpdate.progress(claim, new Progress(5, null)))
                                        .toList()))
                        .containsExactly(Verdict.LOCKED);
                other.rollback();
            }
            assertThat(store.work().apply(ends)).allMatch(Verdict::won);
            assertThat(store.jobs().find(claims.get(1).jobId()).orElseThrow().status())
                    .isEqualTo(JobStatus.SUCCEEDED);
            assertThat(store.jobs().find(claims.get(3).jobId()).orElseThrow().status())
                    .isEqualTo(JobStatus.FAILED);
        }
    }

    @Nested
    class Waiting {
        @Test
        void for_a_lock_ends_with_a_clear_refusal() throws Exception {
            Claim claim = running(1).get(0);
            try (Connection other = lock(claim.jobId())) {
                LonghaulException busy = catchThrowableOfType(
                        LonghaulException.class,
                        () -> store.jobs()
                                .execute(JobCommand.cancel(claim.jobId(), null, null, null))
                                .job());

                assertThat(busy.code()).isEqualTo(ErrorCode.UNAVAILABLE);
                assertThat(busy).hasMessageContaining("lock");
                other.rollback();
            }
            store.jobs().execute(JobCommand.cancel(claim.jobId(), null, null, null));
        }

        @Test
        void of_others_for_a_transaction_of_ours_that_stands_still_is_bounded() {
            String bound = new Database(pool).once(connection -> {
                try (Statement statement = connection.createStatement();
                        ResultSet row = statement.executeQuery("show idle_in_transaction_session_timeout")) {
                    row.next();
                    return row.getString(1);
                }
            });

            assertThat(bound).isEqualTo("10s");
        }
    }

    private List<Claim> running(int count) {
        store.jobs()
                .insert(IntStream.range(0, count)
                        .mapToObj(i ->
                                JobSpec.of(new DefinitionRef("demo", 1), "{}").build())
                        .toList());
        return store
                .work()
                .claim(ClaimRequest.of("worker-1", List.of(JobSpec.DEFAULT_QUEUE), null, count, LEASE))
                .stream()
                .map(ClaimedJob::claim)
                .toList();
    }

    private Lease leaseOf(Claim claim) {
        return Objects.requireNonNull(
                store.jobs().find(claim.jobId()).orElseThrow().lease());
    }

    /** Locks the rows of the jobs in another session. */
    private Connection lock(JobId... ids) throws SQLException {
        Connection other = pool.getConnection();
        other.setAutoCommit(false);
        try (PreparedStatement lock = other.prepareStatement("select from longhaul.live_job where id = ? for update")) {
            for (JobId id : ids) {
                lock.setObject(1, id.value());
                lock.execute();
            }
        }
        return other;
    }

    private List<Expired> expire() {
        Leadership leads =
                store.upkeep().lead("leader", Duration.ofDays(1), LEASE).orElseThrow();
        return store.upkeep().expireLeases(new Leadership(leads.holder(), leads.epoch(), store.now()), 10);
    }

    private Leadership lead() {
        return store.upkeep().lead("leader", Duration.ofDays(1), LEASE).orElseThrow();
    }

    /** Leads until the database has been available for a whole lease. */
    private void leadSteadily() throws InterruptedException {
        await(() -> lead().lapsedBefore() != null);
    }

    private void awaitLapseOf(Claim claim) throws InterruptedException {
        await(() -> !store.now().isBefore(leaseOf(claim).until()));
    }

    private void awaitHeldLeasesEnd() throws InterruptedException {
        await(() -> {
            try (Connection connection = pool.getConnection();
                    Statement statement = connection.createStatement();
                    ResultSet row = statement.executeQuery(
                            "select count(*) from longhaul.held_lease where until > longhaul.clock()")) {
                row.next();
                return row.getInt(1) == 0;
            }
        });
    }

    private interface Condition {
        boolean holds() throws SQLException;
    }

    private static void await(Condition condition) throws InterruptedException {
        try {
            while (!condition.holds()) {
                Thread.sleep(20);
            }
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }

    private void execute(String... statements) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            for (String sql : statements) {
                statement.execute(sql);
            }
        }
    }
}
