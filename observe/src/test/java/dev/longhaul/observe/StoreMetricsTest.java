package dev.longhaul.observe;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.store.StoreListeners;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Progress;
import dev.longhaul.job.RunAt;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.StoreListener.Operation;
import dev.longhaul.spi.Subscription;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Expired;
import dev.longhaul.work.LeaseRenewal;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import io.micrometer.core.instrument.Counter;
import io.micrometer.core.instrument.Gauge;
import io.micrometer.core.instrument.Timer;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Two servers of one cluster: a worker may call either. */
class StoreMetricsTest {
    private static final DefinitionRef REPORT = new DefinitionRef("report", 1);
    private static final Duration LEASE = Duration.ofSeconds(15);
    private static final Failure BOOM = Failure.of(Failure.EXCEPTION, "boom");

    private Instant now = Instant.parse("2026-01-01T00:00:00Z");
    private final MemoryStore jobs = new MemoryStore(() -> now);
    private final Meters here = new Meters(new SimpleMeterRegistry());
    private final Meters there = new Meters(new SimpleMeterRegistry());
    private Subscription observed = () -> {};

    /** The store as this server uses it: further operations are reported to these meters only. */
    private MemoryStore at(Meters meters) {
        observed.close();
        observed = jobs.observe(meters);
        return jobs;
    }

    private MemoryStore here() {
        return at(here);
    }

    private MemoryStore there() {
        return at(there);
    }

    /** A server that dies before it counts. */
    private MemoryStore nowhere() {
        observed.close();
        return jobs;
    }

    @AfterEach
    void close() {
        jobs.close();
    }

    /** A run that started on this server. */
    private Claim running() {
        return running(JobSpec.of(REPORT, "{}"));
    }

    private Claim running(JobSpec.Builder spec) {
        here().jobs().insert(List.of(spec.build()));
        return claimed();
    }

    private Claim claimed() {
        return here().work()
                .claim(ClaimRequest.of("w1", List.of("default"), null, 1, LEASE))
                .get(0)
                .claim();
    }

    private void endThere(Transition... ends) {
        there().work().apply(List.of(ends));
    }

    private List<Expired> expire(MemoryStore leads) {
        now = now.plus(LEASE).plusSeconds(1);
        Leadership leader =
                leads.upkeep().lead("leader", Duration.ofDays(1000), LEASE).orElseThrow();
        return leads.upkeep().expireLeases(new Leadership(leader.holder(), leader.epoch(), now), 100);
    }

    private static double jobs(Meters meters, String what) {
        Counter counter = meters.registry()
                .find("longhaul.jobs." + what)
                .tag("definition", "report")
                .counter();
        return counter == null ? 0 : counter.count();
    }

    private double bothJobs(String what) {
        return jobs(here, what) + jobs(there, what);
    }

    private static double stale(Meters meters, String operation) {
        return meters.stale(operation).count();
    }

    @Nested
    class A_run_that_ends_at_another_server {
        @Test
        void is_counted_there_with_its_duration() {
            Claim claim = running();
            now = now.plusSeconds(40);
            endThere(Transition.succeed(claim, "1"));

            assertThat(jobs(there, "succeeded")).isEqualTo(1);
            assertThat(jobs(here, "succeeded")).isZero();
            Timer ran = there.definition("report").ran();
            assertThat(ran.count()).isEqualTo(1);
            assertThat(ran.totalTime(TimeUnit.SECONDS)).isEqualTo(40);
        }

        @Test
        void is_counted_by_how_it_ended() {
            endThere(Transition.fail(running(), BOOM));
            endThere(Transition.retry(running(), RunAt.after(Duration.ofHours(1)), BOOM));
            endThere(Transition.retry(running(JobSpec.of(REPORT, "{}").maxAttempts(1)), RunAt.now(), BOOM));
            endThere(Transition.crashed(running(), BOOM));
            Claim cancelled = claimed();
            here().jobs().execute(JobCommand.cancel(cancelled.jobId(), null, null, null));
            endThere(Transition.cancelled(cancelled));

            assertThat(jobs(there, "failed")).isEqualTo(2);
            assertThat(jobs(there, "retried")).isEqualTo(2);
            assertThat(jobs(there, "crashed")).isEqualTo(1);
            assertThat(jobs(there, "cancelled")).isEqualTo(1);
            assertThat(there.definition("report").ran().count()).isEqualTo(5);
        }

        @Test
        void is_counted_once_however_often_and_wherever_its_end_is_reported() {
            Claim succeeded = running();
            Claim failed = running();
            for (int i = 0; i < 3; i++) {
                endThere(Transition.succeed(succeeded, "1"), Transition.fail(failed, BOOM));
            }
            at(new Meters(there.registry())).work().apply(List.of(Transition.succeed(succeeded, "1")));

            assertThat(bothJobs("succeeded")).isEqualTo(1);
            assertThat(bothJobs("failed")).isEqualTo(1);
        }

        @Test
        void that_is_only_postponed_is_timed_and_nothing_else() {
            endThere(Transition.snooze(running(), RunAt.after(Duration.ofHours(1))));
            endThere(Transition.giveBack(running()));

            assertThat(there.definition("report").ran().count()).isEqualTo(2);
            assertThat(List.of("succeeded", "failed", "retried", "cancelled", "crashed"))
                    .allMatch(what -> bothJobs(what) == 0);
        }
    }

    @Nested
    class A_run_that_ends_where_it_began {
        @Test
        void is_counted_once_by_how_it_ended() {
            Claim succeeded = running();
            Claim retried = running();
            Claim crashed = running();
            var ends = List.of(
                    Transition.succeed(succeeded, "1"),
                    Transition.retry(retried, RunAt.now(), BOOM),
                    Transition.crashed(crashed, BOOM));
            here().work().apply(ends);
            here().work().apply(ends);

            assertThat(jobs(here, "succeeded")).isEqualTo(1);
            assertThat(jobs(here, "retried")).isEqualTo(2);
            assertThat(jobs(here, "crashed")).isEqualTo(1);
            assertThat(here.definition("report").ran().count()).isEqualTo(3);
        }

        @Test
        void is_cancelled_if_a_cancel_was_requested_but_not_noticed() {
            Claim claim = running();
            there().jobs().execute(JobCommand.cancel(claim.jobId(), null, null, null));
            here().work().apply(List.of(Transition.retry(claim, RunAt.now(), BOOM)));

            assertThat(jobs(here, "cancelled")).isEqualTo(1);
            assertThat(jobs(here, "retried")).isZero();
        }

        @Test
        void is_counted_when_the_first_response_of_the_store_was_lost() {
            Claim claim = running();
            nowhere().work().apply(List.of(Transition.fail(claim, BOOM)));
            here().work().apply(List.of(Transition.fail(claim, BOOM)));

            assertThat(jobs(here, "failed")).isEqualTo(1);
        }
    }

    @Nested
    class A_run_whose_lease_expires {
        @Test
        void is_counted_as_expired_crashed_and_retried_by_the_leader() {
            running();
            assertThat(expire(there())).hasSize(1);

            assertThat(there.leasesExpired().count()).isEqualTo(1);
            assertThat(here.leasesExpired().count()).isZero();
            assertThat(jobs(there, "crashed")).isEqualTo(1);
            assertThat(jobs(there, "retried")).isEqualTo(1);
        }

        @Test
        void fails_its_job_when_that_was_the_last_attempt() {
            running(JobSpec.of(REPORT, "{}").maxAttempts(1));
            expire(here());

            assertThat(jobs(here, "crashed")).isEqualTo(1);
            assertThat(jobs(here, "failed")).isEqualTo(1);
            assertThat(jobs(here, "retried")).isZero();
        }

        @Test
        void has_its_writes_counted_as_stale_where_it_was_ended_too() {
            Claim zombie = running();
            expire(here());
            here().work().extend(List.of(zombie), LEASE);
            here().work().save(List.of(RunUpdate.progress(zombie, new Progress(50, null))));
            here().work().apply(List.of(Transition.succeed(zombie, "1")));

            assertThat(stale(here, "extend")).isEqualTo(1);
            assertThat(stale(here, "save")).isEqualTo(1);
            assertThat(stale(here, "apply")).isEqualTo(1);
            assertThat(jobs(here, "succeeded")).isZero();
        }

        @Test
        void has_its_end_counted_as_stale_at_servers_that_never_knew_it() {
            Claim zombie = running();
            expire(here());
            there().work().apply(List.of(Transition.fail(zombie, BOOM)));

            assertThat(stale(there, "apply")).isEqualTo(1);
            assertThat(jobs(there, "failed")).isZero();
        }
    }

    @Test
    void a_remote_run_that_its_server_ended_at_the_deadline_is_counted_once() {
        JobSpec spec = JobSpec.of(REPORT, "{}").timeout(Duration.ofSeconds(10)).build();
        here().jobs().insert(List.of(spec));
        ClaimRequest request = ClaimRequest.of("w1", List.of("default"), null, 1, LEASE);
        Claim claim = here().work()
                .claim(request.remote(Duration.ofSeconds(1)))
                .get(0)
                .claim();
        now = now.plusSeconds(12);
        Leadership leader =
                here().upkeep().lead("leader", Duration.ofDays(1000), LEASE).orElseThrow();
        assertThat(here().upkeep().endOverdue(leader, 10)).hasSize(1);
        Failure timeout = Failure.of(Failure.TIMEOUT, "too slow");
        assertThat(here().work().apply(List.of(Transition.retry(claim, RunAt.now(), timeout))))
                .containsExactly(Verdict.WON);

        assertThat(jobs(here, "retried")).isEqualTo(1);
        assertThat(here.definition("report").ran().count()).isEqualTo(1);
    }

    /** The lease thread may renew a run that is ending or has just ended. */
    @Test
    void renewing_the_lease_of_a_run_that_has_just_ended_is_no_stale_write() {
        Claim ended = running();
        here().work().apply(List.of(Transition.succeed(ended, "1")));
        here().work().extend(List.of(ended), LEASE);
        assertThat(stale(here, "extend")).isZero();

        var runs = new LiveRunMeters(here);
        here().jobs().insert(List.of(JobSpec.of(REPORT, "{}").build()));
        ClaimedJob ending = nowhere()
                .work()
                .claim(ClaimRequest.of("w1", List.of("default"), null, 1, LEASE))
                .get(0);
        runs.claimed(ending, LEASE);
        runs.applying(List.of(Transition.succeed(ending.claim(), "1")));
        runs.extended(List.of(new LeaseRenewal(ending.claim(), false, null)), LEASE);
        assertThat(stale(here, "extend")).isZero();
    }

    @Nested
    class An_operation_of_the_store {
        private final OperationMeters claiming = here.operation(Operation.CLAIM);

        private void fails(RuntimeException failure) {
            var listeners = new StoreListeners();
            listeners.add(here);
            assertThatThrownBy(() -> listeners.claim(LEASE, () -> {
                        throw failure;
                    }))
                    .isSameAs(failure);
        }

        private double errors(String operation) {
            return here.registry()
                    .get("longhaul.store.errors")
                    .tag("operation", operation)
                    .counter()
                    .count();
        }

        @Test
        void is_timed_and_counted_as_an_error_when_it_fails() {
            assertThat(errors("claim")).isZero();
            fails(new LonghaulException(ErrorCode.UNAVAILABLE, "the database is unavailable"));
            fails(new IllegalStateException("a bug"));

            assertThat(errors("claim")).isEqualTo(2);
            assertThat(claiming.took().count()).isEqualTo(2);
        }

        @Test
        void is_timed_and_no_error_when_it_rejects_the_request() {
            jobs.queues().maxDepth("default", 1);
            JobSpec spec = JobSpec.of(REPORT, "{}").build();
            JobSpec tooMany = JobSpec.of(REPORT, "{}").build();
            assertThatThrownBy(() -> here().jobs().insert(List.of(spec, tooMany)))
                    .isInstanceOf(LonghaulException.class);

            assertThat(errors("insert")).isZero();
            assertThat(here.operation(Operation.INSERT).took().count()).isEqualTo(1);
        }
    }

    @Test
    void slots_are_those_of_live_workers() {
        var gauges = new StoreGauges(jobs, here.registry());
        jobs.catalog().seen(new WorkerReport("lost", "h", 1, "1", List.of("default"), Set.of(), 16, 16, false));
        now = now.plus(Duration.ofHours(1));
        jobs.catalog().seen(new WorkerReport("w1", "h", 1, "1", List.of("default"), Set.of(), 8, 3, false));
        jobs.catalog().seen(new WorkerReport("w2", "h", 1, "1", List.of("default"), Set.of(), 4, 2, true));
        gauges.refresh();

        assertThat(gauge("longhaul.slots")).isEqualTo(12);
        assertThat(gauge("longhaul.slots.busy")).isEqualTo(5);
    }

    private double gauge(String name) {
        Gauge gauge = here.registry().find(name).gauge();
        return gauge == null ? Double.NaN : gauge.value();
    }
}
