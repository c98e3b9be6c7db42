package dev.longhaul.worker;

import static dev.longhaul.worker.Workbench.PATIENCE_SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

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
    void the_first_reason_to_stop_counts_but_a_lost_lease_outweighs_it() {
        run.stop(LiveRun.Stop.TIMEOUT);
        run.stop(LiveRun.Stop.CANCEL);
        assertThat(run.stop()).isEqualTo(LiveRun.Stop.TIMEOUT);
        run.lose();
        run.stop(LiveRun.Stop.RELEASE);
        assertThat(run.stop()).isEqualTo(LiveRun.Stop.LOST);
    }
}
