package dev.longhaul.engine.run;

import static dev.longhaul.engine.run.Workbench.PATIENCE_SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.engine.Unspeakable;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

class LiveRunTest {
    private final LiveRun run = new Workbench().claimed();

    @Test
    void a_callback_that_throws_anything_keeps_no_other_from_being_called() throws Exception {
        var called = new CountDownLatch(2);
        run.onStop(() -> {
            throw new NoClassDefFoundError("planted");
        });
        run.onStop(() -> {
            throw new Unspeakable();
        });
        run.onStop(called::countDown);
        run.stop(LiveRun.Stop.CANCEL);
        run.onStop(called::countDown);
        assertThat(called.await(PATIENCE_SECONDS, TimeUnit.SECONDS)).isTrue();
    }

    @Test
    void values_that_threads_hide_at_the_same_time_are_all_kept() throws Exception {
        int threads = 4;
        int each = 25;
        var start = new CountDownLatch(1);
        var hiding = new ArrayList<Thread>();
        for (int i = 0; i < threads; i++) {
            int number = i;
            var thread = new Thread(() -> {
                awaitQuietly(start);
                for (int n = 0; n < each; n++) {
                    run.hide(List.of("secret-" + number + "-" + n));
                    run.secrets();
                }
            });
            thread.start();
            hiding.add(thread);
        }
        start.countDown();
        for (Thread thread : hiding) {
            thread.join();
        }
        assertThat(run.secrets().values()).hasSize(threads * each);
    }

    private static void awaitQuietly(CountDownLatch latch) {
        try {
            latch.await();
        } catch (InterruptedException e) {
            throw new IllegalStateException(e);
        }
    }

    @Test
    void the_first_reason_to_stop_counts_but_a_lost_lease_outweighs_it() {
        run.stop(LiveRun.Stop.TIMEOUT);
        run.stop(LiveRun.Stop.CANCEL);
        assertThat(run.stop()).isEqualTo(LiveRun.Stop.TIMEOUT);
        run.lose();
        run.stop(LiveRun.Stop.RELEASE);
        assertThat(run.stop()).isEqualTo(LiveRun.Stop.LOST);
    }
}
