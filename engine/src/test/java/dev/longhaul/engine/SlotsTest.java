package dev.longhaul.engine;

import static dev.longhaul.engine.run.Workbench.PATIENCE_SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.Workbench;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class SlotsTest {
    private final Workbench bench = new Workbench();
    private final BlockingQueue<LiveRun> begun = new LinkedBlockingQueue<>();
    private final BlockingQueue<LiveRun> refused = new LinkedBlockingQueue<>();
    private final BlockingQueue<Integer> freeWhenNotified = new LinkedBlockingQueue<>();
    private final Semaphore mayEnd = new Semaphore(0);
    private final Slots slots = new Slots(2, this::run, refused::add, this::free);

    private void run(LiveRun run) {
        begun.add(run);
        mayEnd.acquireUninterruptibly();
    }

    private void free() {
        freeWhenNotified.add(slots.free());
    }

    @AfterEach
    void close() {
        mayEnd.release(1000);
        slots.close();
    }

    @Test
    void runs_so_many_at_once_and_the_rest_in_their_order() throws Exception {
        List<LiveRun> runs = bench.claimed(5);
        slots.run(runs);
        assertThat(List.of(next(), next())).containsExactlyInAnyOrder(runs.get(0), runs.get(1));
        assertThat(slots.free()).isZero();
        assertThat(slots.waiting()).isEqualTo(3);
        for (int i = 2; i < 5; i++) {
            assertThat(begun).as("those that have begun while two are running").isEmpty();
            mayEnd.release();
            assertThat(next()).isEqualTo(runs.get(i));
        }
        assertThat(slots.waiting()).isZero();
    }

    @Test
    void reports_a_free_slot_once_it_is_free() throws Exception {
        slots.run(bench.claimed(1));
        next();
        mayEnd.release();
        int free = notified();
        while (free < 2) {
            free = notified();
        }
        assertThat(slots.ended()).isEqualTo(1);
        assertThat(slots.nanos()).isPositive();
    }

    @Test
    void runs_that_have_not_begun_can_be_taken_back() throws Exception {
        List<LiveRun> runs = bench.claimed(4);
        slots.run(runs);
        next();
        next();
        long claimedAt = runs.get(2).claimedAt();
        assertThat(slots.oldestWaiting(claimedAt + 7)).isEqualTo(7);
        assertThat(slots.takeWaiting()).containsExactly(runs.get(2), runs.get(3));
        assertThat(slots.waiting()).isZero();
        assertThat(slots.oldestWaiting(claimedAt + 7)).isZero();
        mayEnd.release(2);
        awaitAllFree(slots);
        assertThat(begun).isEmpty();
    }

    @Test
    void a_runner_that_throws_takes_no_slot_along() throws Exception {
        var throwing = new Slots(
                1,
                run -> {
                    begun.add(run);
                    throw new ThreadDeathOfATest();
                },
                refused::add,
                () -> {});
        List<LiveRun> runs = bench.claimed(3);
        throwing.run(runs);
        assertThat(List.of(next(), next(), next())).isEqualTo(runs);
        awaitAllFree(throwing, 1);
        throwing.close();
    }

    @Test
    void a_run_for_which_there_is_no_thread_is_refused_and_its_slot_is_free() throws Exception {
        slots.close();
        List<LiveRun> runs = bench.claimed(3);
        slots.run(runs);
        assertThat(refused).containsExactlyElementsOf(runs);
        assertThat(slots.free()).isEqualTo(2);
        assertThat(slots.waiting()).isZero();
    }

    /** A distinct Error, thrown on purpose. */
    private static final class ThreadDeathOfATest extends Error {
        private static final long serialVersionUID = 1;

        ThreadDeathOfATest() {
            super("planted", null, false, false);
        }
    }

    private LiveRun next() throws InterruptedException {
        LiveRun run = begun.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(run).isNotNull();
        return Objects.requireNonNull(run);
    }

    private int notified() throws InterruptedException {
        Integer free = freeWhenNotified.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(free).as("free slots when notified").isNotNull();
        return Objects.requireNonNull(free);
    }

    private static void awaitAllFree(Slots slots) {
        awaitAllFree(slots, 2);
    }

    private static void awaitAllFree(Slots slots, int all) {
        Workbench.await("all slots are free", () -> slots.free() == all);
    }
}
