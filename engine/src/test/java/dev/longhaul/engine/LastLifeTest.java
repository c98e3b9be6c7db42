package dev.longhaul.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.engine.LastLife.Turn;
import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.Workbench;
import dev.longhaul.work.Verdict;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.Test;

class LastLifeTest {
    private static final long SECOND = TimeUnit.SECONDS.toNanos(1);

    private final Workbench bench = new Workbench();
    private final LastLife lastLife = new LastLife(bench.live);
    private final AtomicInteger polls = new AtomicInteger();
    private boolean due;
    private long now = System.nanoTime();

    @Test
    void polls_for_such_jobs_at_most_once_a_second() {
        for (int i = 0; i < 30; i++) {
            assertThat(turn()).isEqualTo(Turn.OTHERS);
            now += SECOND / 10;
        }
        assertThat(polls).hasValueBetween(3, 4);
    }

    @Test
    void such_a_job_waits_until_no_young_neighbour_is_left() {
        LiveRun neighbour = bench.claimed();
        due = true;
        assertThat(turn()).as("a neighbour that has not begun").isEqualTo(Turn.WAIT);
        neighbour.begin(Thread.currentThread());
        now = neighbour.startedAt() + 9 * SECOND;
        assertThat(turn()).as("a neighbour of 9 s").isEqualTo(Turn.WAIT);
        now = neighbour.startedAt() + 11 * SECOND;
        assertThat(turn()).as("a neighbour of 11 s").isEqualTo(Turn.CLAIM);
        neighbour.end();
        assertThat(turn()).as("a neighbour whose end is not stored").isEqualTo(Turn.WAIT);
        bench.live.remove(neighbour);
        assertThat(turn()).isEqualTo(Turn.CLAIM);
    }

    @Test
    void runs_executed_by_callers_are_no_neighbours() {
        bench.claimed().await();
        due = true;
        assertThat(turn()).isEqualTo(Turn.CLAIM);
    }

    @Test
    void nothing_else_is_claimed_until_it_has_ended() {
        LiveRun alone = claimAlone();
        now = alone.claimedAt() + 5 * SECOND;
        assertThat(turn()).isEqualTo(Turn.WAIT);
        bench.live.remove(alone);
        alone.settled().complete(Verdict.WON);
        assertThat(turn()).as("the next of its kind").isEqualTo(Turn.CLAIM);
        lastLife.claimed(null, now);
        assertThat(turn()).isEqualTo(Turn.OTHERS);
    }

    @Test
    void one_that_has_lasted_long_enough_is_a_neighbour_like_others() {
        LiveRun alone = claimAlone();
        alone.begin(Thread.currentThread());
        now = alone.startedAt() + 10 * SECOND + 1;
        assertThat(turn()).isEqualTo(Turn.CLAIM);
    }

    @Test
    void other_jobs_get_a_turn_after_a_while_before_it_continues() {
        due = true;
        long begun = now;
        while (now - begun <= 15 * SECOND) {
            LiveRun alone = claimAlone();
            bench.live.remove(alone);
            alone.settled().complete(Verdict.WON);
            now += SECOND;
        }
        assertThat(turn()).isEqualTo(Turn.OTHERS);
        now += SECOND;
        assertThat(turn()).isEqualTo(Turn.CLAIM);
    }

    @Test
    void a_worker_that_is_never_calm_rests_for_a_minute() {
        due = true;
        bench.claimed();
        assertThat(turn()).isEqualTo(Turn.WAIT);
        now += 15 * SECOND + 1;
        assertThat(turn()).isEqualTo(Turn.OTHERS);
        now += 60 * SECOND;
        assertThat(turn()).isEqualTo(Turn.OTHERS);
        now += SECOND;
        assertThat(turn()).isEqualTo(Turn.WAIT);
    }

    private LiveRun claimAlone() {
        due = true;
        assertThat(turn()).isEqualTo(Turn.CLAIM);
        LiveRun alone = bench.claimed();
        lastLife.claimed(alone, now);
        return alone;
    }

    private Turn turn() {
        return lastLife.turn(now, () -> {
            polls.incrementAndGet();
            return due;
        });
    }
}
