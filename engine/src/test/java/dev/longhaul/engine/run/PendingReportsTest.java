package dev.longhaul.engine.run;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class PendingReportsTest {
    private final Workbench bench = new Workbench();
    private final Report.Pending reports = bench.reports;
    private final AtomicInteger wakeUps = new AtomicInteger();
    private final long now = System.nanoTime();

    PendingReportsTest() {
        take(now);
        reports.onUrgent(wakeUps::incrementAndGet);
    }

    @Test
    void are_gathered_for_a_while() {
        assertThat(reports.untilDue(now)).isEqualTo(Long.MAX_VALUE);
        reports.soon(bench.claimed());
        assertThat(reports.untilDue(now)).isEqualTo(Report.Pending.GATHER);
        assertThat(reports.untilDue(now + Report.Pending.GATHER)).isZero();
    }

    @Test
    void are_due_immediately_when_code_waits_for_one() {
        reports.soon(bench.claimed());
        LiveRun urgent = bench.claimed();
        reports.now(urgent);
        reports.now(urgent);
        assertThat(reports.untilDue(now)).isZero();
        assertThat(wakeUps)
                .as("one for the first report, one for each urgent report")
                .hasValue(3);
    }

    @Test
    void every_run_wakes_the_storing_thread_once() {
        LiveRun one = bench.claimed();
        LiveRun other = bench.claimed();
        for (int i = 0; i < 10; i++) {
            reports.soon(one);
            reports.soon(other);
        }
        assertThat(wakeUps).hasValue(2);
    }

    @Test
    void are_taken_once_and_then_gathered_again() {
        LiveRun run = bench.claimed();
        reports.now(run);
        long later = now + Report.Pending.GATHER / 2;
        assertThat(take(later)).containsExactly(run);
        assertThat(take(later)).isEmpty();
        reports.soon(run);
        assertThat(reports.untilDue(later)).isEqualTo(Report.Pending.GATHER);
    }

    private List<LiveRun> take(long at) {
        var taken = new ArrayList<LiveRun>();
        reports.take(at, taken);
        return taken;
    }
}
