package dev.longhaul.engine;

import static dev.longhaul.engine.run.Workbench.LEASE;
import static dev.longhaul.engine.run.Workbench.PATIENCE_SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.Workbench;
import dev.longhaul.job.CancelRequest;
import java.time.Duration;
import java.util.Objects;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LeaseKeeperTest {
    private final Workbench bench = new Workbench();
    private final LeaseKeeper keeper = new LeaseKeeper(bench.store, bench.live, LEASE);

    @Test
    void leaves_young_leases_alone_and_renews_the_others_together() {
        bench.claimed();
        assertThat(keeper.runOnce()).isTrue();
        assertThat(bench.faults.calls("extend")).isZero();
        LiveRun one = aged(bench.claimed());
        LiveRun other = aged(bench.claimed());
        long before = System.nanoTime();
        assertThat(keeper.runOnce()).isTrue();
        assertThat(bench.faults.calls("extend")).isEqualTo(1);
        assertThat(one.leasedAt()).isEqualTo(other.leasedAt()).isGreaterThanOrEqualTo(before);
    }

    @Test
    void stops_a_run_whose_cancel_was_requested() {
        LiveRun run = bench.claimed();
        bench.source.cancel(run.claim().jobId());
        keeper.cancelRequested(run.claim().jobId());
        assertThat(keeper.runOnce()).isTrue();
        assertThat(run.stop()).isEqualTo(LiveRun.Stop.CANCEL);
        CancelRequest request = Objects.requireNonNull(run.cancelRequest());
        assertThat(request.reason()).isEqualTo("not needed");
        keeper.runOnce();
        assertThat(bench.faults.calls("extend")).as("renewals").isEqualTo(1);
    }

    @Test
    void a_cancel_requested_between_a_claim_and_its_adoption_is_read_at_once() throws Exception {
        LiveRun run = bench.claimed();
        bench.live.remove(run);
        bench.source.cancel(run.claim().jobId());
        keeper.cancelRequested(run.claim().jobId());
        keeper.cancelRequested(run.claim().jobId());
        var stopped = new CountDownLatch(1);
        run.onStop(stopped::countDown);
        keeper.start();

        bench.live.add(run);
        keeper.adopted(run);

        assertThat(stopped.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        keeper.close();
    }

    @Test
    void a_renewal_that_was_under_way_when_a_longer_lease_was_requested_counts_with_its_own_duration() {
        LiveRun run = aged(bench.claimed());
        Duration longer = LEASE.multipliedBy(10);
        bench.faults.next("extend", call -> {
            run.lastsFor(longer);
            return call.goOn();
        });
        assertThat(keeper.runOnce()).isTrue();
        assertThat(run.nanosLeft()).isLessThanOrEqualTo(LEASE.toNanos());
        assertThat(keeper.runOnce()).isTrue();
        assertThat(bench.faults.calls("extend")).isEqualTo(2);
        assertThat(run.nanosLeft()).isGreaterThan(LEASE.multipliedBy(9).toNanos());
    }

    @Test
    void retries_when_the_store_is_unavailable() {
        LiveRun run = bench.claimed();
        bench.source.cancel(run.claim().jobId());
        keeper.cancelRequested(run.claim().jobId());
        bench.faults.next("extend", FaultyStore.unavailable());
        assertThat(keeper.runOnce()).isFalse();
        assertThat(run.stop()).isNull();
        assertThat(keeper.runOnce()).isTrue();
        assertThat(run.stop()).isEqualTo(LiveRun.Stop.CANCEL);
    }

    @Test
    void a_run_whose_lease_is_lost_is_stopped_and_asked_about_no_more() {
        LiveRun run = aged(bench.claimed());
        bench.steal(run);
        keeper.runOnce();
        assertThat(run.lost()).isTrue();
        keeper.runOnce();
        assertThat(bench.faults.calls("extend")).isEqualTo(1);
    }

    @Test
    void a_run_that_has_ended_is_not_lost_because_its_end_was_just_stored() {
        LiveRun run = aged(bench.claimed());
        run.end();
        bench.steal(run);
        keeper.runOnce();
        assertThat(run.lost()).isFalse();
    }

    @Test
    void a_cancel_wakes_its_thread_long_before_the_next_renewal() throws Exception {
        var stopped = new CountDownLatch(1);
        LiveRun run = bench.claimed();
        run.onStop(stopped::countDown);
        keeper.start();
        bench.source.cancel(run.claim().jobId());
        keeper.cancelRequested(run.claim().jobId());
        assertThat(stopped.await(LEASE.toSeconds() / 3 / 2, TimeUnit.SECONDS)).isTrue();
        keeper.close();
    }

    @Test
    void its_thread_survives_exceptions_of_the_store() throws Exception {
        var renewed = new CountDownLatch(1);
        bench.faults
                .next("extend", call -> {
                    throw new NoClassDefFoundError("planted");
                })
                .next("extend", call -> {
                    throw new IllegalStateException("planted");
                })
                .next("extend", FaultyStore.unavailable())
                .always("extend", call -> {
                    renewed.countDown();
                    return call.goOn();
                });
        aged(bench.claimed());
        var quick = new LeaseKeeper(bench.store, bench.live, Duration.ofMillis(300));
        quick.start();
        assertThat(renewed.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
        quick.close();
    }

    /** Moves the last renewal of the run so far into the past that the next one is due. */
    private static LiveRun aged(LiveRun run) {
        run.leaseRenewed(System.nanoTime() - LEASE.toNanos() / 3, LEASE);
        return run;
    }
}
