package dev.longhaul.engine;

import static dev.longhaul.engine.run.Workbench.PATIENCE_SECONDS;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.engine.run.LiveRun;
import dev.longhaul.engine.run.Workbench;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Failure;
import dev.longhaul.work.Transition;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class NoticesTest {
    private final Workbench bench = new Workbench();
    private final Notices notices = new Notices(bench.store);
    private final LinkedBlockingQueue<JobNotice> heard = new LinkedBlockingQueue<>();
    private final LiveRun run = bench.claimed();

    @AfterEach
    void close() {
        notices.close();
    }

    @Test
    void reach_the_others_when_one_listener_throws() throws Exception {
        notices.listen(notice -> true, notice -> {
            throw new NoClassDefFoundError("planted");
        });
        notices.listen(
                notice -> {
                    throw new IllegalStateException("planted");
                },
                notice -> {});
        notices.listen(notice -> true, notice -> {
            throw new Unspeakable();
        });
        notices.listen(notice -> true, heard::add);
        notices.started(run);
        notices.ended(run, Transition.succeed(run.claim(), "{}"));
        assertThat(types(2)).containsExactly(EventType.STARTED, EventType.SUCCEEDED);
    }

    @Test
    void do_not_block_the_sender() throws Exception {
        var goOn = new CountDownLatch(1);
        notices.listen(notice -> true, notice -> {
            try {
                goOn.await();
            } catch (InterruptedException e) {
                throw new IllegalStateException(e);
            }
        });
        notices.listen(notice -> true, heard::add);
        // More than the queue holds: the sender does not block although no listener reads.
        var sending = CompletableFuture.runAsync(() -> {
            for (int i = 0; i < 20_000; i++) {
                notices.started(run);
            }
        });
        try {
            Workbench.soon(sending);
            assertThat(heard).isEmpty();
        } finally {
            goOn.countDown();
        }
        assertThat(types(1)).containsExactly(EventType.STARTED);
    }

    @Test
    void of_a_failed_attempt_carry_the_new_state_of_the_job() throws Exception {
        notices.listen(notice -> true, heard::add);
        Transition failed = Transition.fail(run.claim(), Failure.of(Failure.EXCEPTION, "boom"));
        bench.source.apply(List.of(failed));
        bench.faults.next("find", FaultyStore.unavailable());
        notices.ended(run, failed);
        notices.ended(run, failed);
        JobNotice notice = heard.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
        assertThat(notice).isNotNull();
        assertThat(notice.type()).isEqualTo(EventType.FAILED);
        assertThat(notice.error()).isEqualTo("exception: boom");
    }

    @Test
    void are_heard_no_more_once_the_subscription_is_closed() throws Exception {
        notices.listen(notice -> true, notice -> heard.add(notice)).close();
        notices.listen(notice -> notice.type() == EventType.SUCCEEDED, heard::add);
        notices.started(run);
        notices.ended(run, Transition.succeed(run.claim(), "{}"));
        assertThat(types(1)).containsExactly(EventType.SUCCEEDED);
        assertThat(heard).isEmpty();
    }

    private List<EventType> types(int notices) throws InterruptedException {
        var types = new ArrayList<EventType>();
        for (int i = 0; i < notices; i++) {
            JobNotice notice = heard.poll(PATIENCE_SECONDS, TimeUnit.SECONDS);
            assertThat(notice).isNotNull();
            types.add(notice.type());
        }
        return types;
    }
}
