package dev.longhaul.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.job.Claim;
import dev.longhaul.job.JobId;
import dev.longhaul.job.RunTime;
import dev.longhaul.job.Transition;
import dev.longhaul.store.JobStore;
import dev.longhaul.store.Signal;
import dev.longhaul.store.Subscription;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Waking those who wait. Signals may come late and twice, so the tests wait for the one they want. */
abstract class SignalContract extends StoreContract {
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(20);

    @Test
    void tell_of_new_work() {
        hears(work("slow"), () -> insert(aJob().queue("slow")));
    }

    @Test
    void tell_of_jobs_that_became_due() {
        JobId held = insert(aJob().queue("held").hold(true)).id();
        JobId scheduled =
                insert(aJob().queue("scheduled").runTime(RunTime.after(HOUR))).id();
        JobId failed = insert(aJob().queue("failed")).id();
        cancel(failed);

        hears(work("held"), () -> store().release(held, null));
        hears(work("scheduled"), () -> store().runNow(scheduled, null));
        hears(work("failed"), () -> store().retry(failed, null));
    }

    @Test
    void tell_of_work_that_came_back() {
        Claim claim = running();
        hears(work(QUEUE), () -> win(Transition.giveBack(claim)));
    }

    @Test
    void tell_of_a_running_job_that_is_wanted_to_end() {
        Claim claim = running();
        hears(new Signal(Signal.Kind.CANCEL, claim.jobId().toString()), () -> cancel(claim.jobId()));
    }

    @Test
    void reach_other_processes() throws InterruptedException {
        var heard = new LinkedBlockingQueue<Signal>();
        try (Subscription subscription = anotherStore().listen(heard::add)) {
            assertThat(subscription).isNotNull();
            long end = System.nanoTime() + MAX_NANOS;
            Signal signal = null;
            // The other side may not have begun to listen, so the work is announced until it is heard.
            while (signal == null && System.nanoTime() < end) {
                insert(aJob().queue("slow"));
                signal = heard.poll(200, TimeUnit.MILLISECONDS);
            }
            assertThat(signal).isEqualTo(work("slow"));
        }
    }

    @Test
    void are_no_longer_heard_once_the_subscription_is_closed() {
        var silent = new LinkedBlockingQueue<Signal>();
        Subscription closed = store().listen(silent::add);
        closed.close();
        closed.close();
        hears(work("slow"), () -> insert(aJob().queue("slow")));

        assertThat(silent).isEmpty();
    }

    @Test
    void reach_the_others_when_one_listener_fails() {
        try (Subscription failing = store().listen(signal -> {
            throw new IllegalStateException("this listener always fails");
        })) {
            assertThat(failing).isNotNull();
            hears(work("slow"), () -> insert(aJob().queue("slow")));
        }
    }

    @Test
    void let_a_listener_use_the_store() {
        JobStore store = store();
        var seen = new LinkedBlockingQueue<Long>();
        try (Subscription subscription =
                store.listen(signal -> seen.add(store.dueCount(List.of(signal.subject()), null)))) {
            assertThat(subscription).isNotNull();
            insert(aJob().queue("slow"));
            assertThat(next(seen)).isEqualTo(1);
        }
    }

    private static Signal work(String queue) {
        return new Signal(Signal.Kind.WORK, queue);
    }

    private void hears(Signal expected, Runnable action) {
        var heard = new LinkedBlockingQueue<Signal>();
        try (Subscription subscription = store().listen(heard::add)) {
            assertThat(subscription).isNotNull();
            action.run();
            Signal signal = next(heard);
            while (!signal.equals(expected)) {
                signal = next(heard);
            }
        }
    }

    private static <T> T next(BlockingQueue<T> queue) {
        try {
            return present(queue.poll(MAX_NANOS, TimeUnit.NANOSECONDS));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted", e);
        }
    }
}
