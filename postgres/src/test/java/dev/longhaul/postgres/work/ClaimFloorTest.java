package dev.longhaul.postgres.work;

import static org.assertj.core.api.Assertions.assertThat;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.job.TransactionalInserts;
import dev.longhaul.postgres.work.Lanes.Lane;
import dev.longhaul.testing.TestPostgres;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import java.sql.Connection;
import java.sql.SQLException;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.IntStream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Claims that skip dead index entries by starting each lane at its floor. */
class ClaimFloorTest {
    private static final List<String> QUEUES = List.of("default");

    /** On a real database, with floors in use from the first claim on. */
    @Nested
    class Claiming {
        private final HikariDataSource pool =
                TestPostgres.pool(TestPostgres.get().newDatabase(), 5);
        private final PostgresStore store = PostgresStore.open(pool);
        private final PostgresWork work = (PostgresWork) store.work();

        @BeforeEach
        void everyClaimIsSlow() {
            work.slowNanos = -1_000_000_000;
        }

        @AfterEach
        void close() {
            store.close();
            pool.close();
        }

        @Test
        void keeps_the_floors_of_the_latest_queues_only_because_clients_choose_their_names() {
            for (int i = 0; i < PostgresWork.MOST_FLOORS + 5; i++) {
                work.claim(ClaimRequest.of("worker", List.of("tenant-" + i), null, 1, Duration.ofMinutes(1)));
            }
            assertThat(work.floors()).isEqualTo(PostgresWork.MOST_FLOORS);
        }

        @Test
        void uses_floors_only_for_queues_whose_claims_are_slow() {
            work.slowNanos = Long.MAX_VALUE / 2;
            claim(1);
            assertThat(work.floors()).as("after a quick claim").isZero();
            work.slowNanos = -1_000_000_000;
            claim(1);
            assertThat(work.floors()).as("after a slow claim").isEqualTo(1);
        }

        @Test
        void finds_the_first_jobs_after_a_slow_claim_of_empty_queues() {
            assertThat(claim(5)).isEmpty();
            assertThat(claim(5)).isEmpty();
            List<JobId> jobs = insert(5);
            assertThat(claim(5)).containsExactlyElementsOf(jobs);
        }

        @Test
        void takes_every_job_once_and_in_order() {
            List<JobId> jobs = insert(100);
            var taken = new ArrayList<JobId>();
            while (taken.size() < 100) {
                List<JobId> some = claim(7);
                assertThat(some).isNotEmpty();
                taken.addAll(some);
            }
            assertThat(taken).containsExactlyElementsOf(jobs);
        }

        @Test
        void finds_a_row_that_was_committed_late_at_once() throws SQLException {
            insert(10);
            assertThat(claim(5)).hasSize(5);
            JobSpec late = spec();
            try (Connection connection = pool.getConnection()) {
                connection.setAutoCommit(false);
                store.capability(TransactionalInserts.class).orElseThrow().insert(connection, List.of(late));
                assertThat(claim(5)).hasSize(5).doesNotContain(late.id());
                for (int i = 0; i < 5; i++) {
                    insert(10);
                    assertThat(claim(10)).hasSize(10).doesNotContain(late.id());
                }
                connection.commit();
            }
            insert(10);
            assertThat(claim(11)).contains(late.id());
        }

        private List<JobId> claim(int max) {
            return work.claim(ClaimRequest.of("w", QUEUES, null, max, Duration.ofMinutes(1))).stream()
                    .map(ClaimedJob::claim)
                    .map(claim -> claim.jobId())
                    .toList();
        }

        private List<JobId> insert(int jobs) {
            List<JobSpec> specs = IntStream.range(0, jobs).mapToObj(i -> spec()).toList();
            store.jobs().insert(specs);
            return specs.stream().map(JobSpec::id).toList();
        }

        private static JobSpec spec() {
            return JobSpec.of(new DefinitionRef("demo", 1), "{}").build();
        }
    }

    @Nested
    class Floors {
        private static final long SLOW = 50_000_000;
        private static final long SECOND = 1_000_000_000;
        private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");

        private Instant now = START;
        private long scanNanos;
        private Set<String> underWay = Set.of();
        private final ClaimFloor.Probe probe = new ClaimFloor.Probe() {
            @Override
            public List<Lane> lanes() {
                if (scanNanos > 0) {
                    LockSupport.parkNanos(scanNanos);
                }
                return List.of(new Lane("default", "demo", 1, (short) 0, now, now));
            }

            @Override
            public ClaimFloor.Snapshot snapshot() {
                return new ClaimFloor.Snapshot(underWay, now);
            }
        };

        @Test
        void are_used_until_scans_of_the_lanes_are_fast() {
            scanNanos = 3 * SLOW;
            var floor = new ClaimFloor(probe, SLOW, SLOW / 10);
            assertThat(floor.plan(System.nanoTime() + SECOND).walk()).isFalse();
            scanNanos = 0;
            assertThat(floor.plan(System.nanoTime() - SECOND).walk())
                    .as("before the next scan")
                    .isFalse();
            assertThat(floor.plan(System.nanoTime() + 60 * SECOND).walk()).isTrue();
        }

        @Test
        void are_not_used_because_of_one_slow_scan() {
            var scans = new AtomicInteger();
            var hesitant = new ClaimFloor(
                    new ClaimFloor.Probe() {
                        @Override
                        public List<Lane> lanes() {
                            if (scans.getAndIncrement() == 0) {
                                LockSupport.parkNanos(2 * SLOW);
                            }
                            return List.of();
                        }

                        @Override
                        public ClaimFloor.Snapshot snapshot() {
                            return probe.snapshot();
                        }
                    },
                    SLOW,
                    SLOW / 10);
            assertThat(hesitant.plan(System.nanoTime() + SECOND).walk()).isTrue();
            assertThat(scans).hasValue(2);
        }

        @Test
        void stay_below_rows_that_a_just_ended_transaction_may_have_committed() {
            var used = new ClaimFloor(probe, -1, 0);
            assertThat(used.plan(System.nanoTime() + SECOND).lanes().get(0).firstRunAt())
                    .isEqualTo(START);
            underWay = Set.of("777");
            now = START.plusMillis(500);
            firstRunAt(used);
            now = START.plusSeconds(3);
            used.plan(System.nanoTime() + SECOND);
            assertThat(firstRunAt(used)).isBetween(START.plusSeconds(2), START.plusSeconds(3));
            underWay = Set.of();
            assertThat(firstRunAt(used)).isBefore(START.plusMillis(1));
        }

        /** Reads the floor without a rescan of the lanes. */
        private Instant firstRunAt(ClaimFloor used) {
            return used.plan(System.nanoTime() - SECOND).lanes().get(0).firstRunAt();
        }
    }
}
