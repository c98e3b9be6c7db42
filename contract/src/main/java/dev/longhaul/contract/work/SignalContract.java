package dev.longhaul.contract.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.StoreContract;
import dev.longhaul.job.Claim;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Progress;
import dev.longhaul.job.RunAt;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Store;
import dev.longhaul.spi.Subscription;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import java.util.Collection;
import java.util.HashSet;
import java.util.List;
import java.util.Queue;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Tests signals to waiting processes. Signals may arrive late or twice, so the tests wait for the expected one. */
public abstract class SignalContract extends StoreContract {
    private static final long MAX_NANOS = TimeUnit.SECONDS.toNanos(20);

    @Test
    void announce_new_work() {
        hears(work("slow"), () -> insert(aJob().queue("slow")));
    }

    @Test
    void announce_jobs_that_became_due() {
        JobId held = insert(aJob().queue("held").hold(true)).id();
        JobId scheduled =
                insert(aJob().queue("scheduled").runTime(RunAt.after(HOUR))).id();
        JobId failed = insert(aJob().queue("failed")).id();
        cancel(failed);

        hears(work("held"), () -> release(held, null));
        hears(work("scheduled"), () -> runNow(scheduled, null));
        hears(work("failed"), () -> retry(failed, null));
    }

    @Test
    void announce_jobs_that_return_to_waiting() {
        Claim claim = running();
        hears(work(QUEUE), () -> win(Transition.giveBack(claim)));
    }

    @Test
    void announce_a_cancel_of_a_running_job() {
        Claim claim = running();
        hears(new Signal(Signal.Kind.CANCEL, claim.jobId().toString()), () -> cancel(claim.jobId()));
    }

    @Test
    void reach_other_processes() throws InterruptedException {
        var heard = new LinkedBlockingQueue<Signal>();
        try (Subscription subscription = listen(anotherStore(), Signal.Kind.WORK, heard)) {
            assertThat(subscription).isNotNull();
            long end = System.nanoTime() + MAX_NANOS;
            Signal signal = null;
            // The other process may not listen yet, so the work is announced again until the signal arrives.
            while (!work("slow").equals(signal) && System.nanoTime() < end) {
                insert(aJob().queue("slow"));
                signal = heard.poll(200, TimeUnit.MILLISECONDS);
            }
            assertThat(signal).isEqualTo(work("slow"));
        }
    }

    @Test
    void end_once_the_subscription_is_closed() {
        var silent = new LinkedBlockingQueue<Signal>();
        Subscription closed = store().work().listen(silent::add);
        closed.close();
        closed.close();
        hears(work("slow"), () -> insert(aJob().queue("slow")));

        assertThat(silent).isEmpty();
    }

    @Test
    void reach_other_listeners_when_one_fails() {
        try (Subscription failing = store().work().listen(signal -> {
            throw new IllegalStateException("this listener always fails");
        })) {
            assertThat(failing).isNotNull();
            hears(work("slow"), () -> insert(aJob().queue("slow")));
        }
    }

    @Test
    void let_a_listener_use_the_store() {
        Store store = store();
        var seen = new LinkedBlockingQueue<Long>();
        try (Subscription subscription =
                store.work().listen(signal -> seen.add(store.queues().dueCount(List.of(signal.subject()), null)))) {
            assertThat(subscription).isNotNull();
            insert(aJob().queue("slow"));
            awaitOne(seen, 1L);
        }
    }

    // Changed jobs

    @Test
    void name_the_changed_jobs() {
        var heard = new LinkedBlockingQueue<Signal>();
        try (Subscription subscription = listen(store(), Signal.Kind.CHANGED, heard)) {
            assertThat(subscription).isNotNull();
            Claim ended = running();
            Claim saved = running();
            Claim givenBack = running(aJob().queue("slow"), "slow");
            JobId held = insert(aJob().hold(true)).id();
            JobId edited = insert(aJob().hold(true)).id();
            JobId cancelled = insert(aJob().hold(true)).id();
            JobId retried = failed();
            JobId claimed = insert(aJob()).id();
            awaitAll(heard, Set.of(insert(aJob().hold(true)).id()));

            win(Transition.succeed(ended, "{}"));
            save(RunUpdate.progress(saved, new Progress(50, "half")));
            win(Transition.giveBack(givenBack));
            release(held, null);
            edit(edited, JobEdit.runTime(RunAt.after(HOUR)), null);
            cancel(cancelled);
            retry(retried, null);
            store().claimById().claimOne(claimed, Claim.newKey(), WORKER, LEASE);
            JobId inserted = insert(aJob()).id();
            awaitAll(
                    heard,
                    Set.of(
                            ended.jobId(),
                            saved.jobId(),
                            givenBack.jobId(),
                            held,
                            edited,
                            cancelled,
                            retried,
                            claimed,
                            inserted));
        }
    }

    @Test
    void name_jobs_that_were_claimed_and_jobs_whose_leases_expired() {
        var heard = new LinkedBlockingQueue<Signal>();
        try (Subscription subscription = listen(store(), Signal.Kind.CHANGED, heard)) {
            assertThat(subscription).isNotNull();
            List<JobId> ids = insertJobs(3);
            awaitAll(heard, ids);
            claim(3);
            awaitAll(heard, ids);
            lapse();
            awaitAll(heard, ids);
        }
    }

    @Test
    void name_at_most_150_jobs_each() {
        var heard = new LinkedBlockingQueue<Signal>();
        try (Subscription subscription = listen(store(), Signal.Kind.CHANGED, heard)) {
            assertThat(subscription).isNotNull();
            awaitAll(heard, insertJobs(400));
        }
    }

    @Test
    void name_no_jobs_when_there_are_too_many() {
        var heard = new LinkedBlockingQueue<Signal>();
        try (Subscription subscription = listen(store(), Signal.Kind.CHANGED, heard)) {
            assertThat(subscription).isNotNull();
            insertJobs(500);
            awaitOne(heard, new Signal(Signal.Kind.CHANGED, "*"));
        }
    }

    @Test
    void name_the_changed_jobs_to_other_processes() throws InterruptedException {
        var heard = new LinkedBlockingQueue<Signal>();
        try (Subscription subscription = listen(anotherStore(), Signal.Kind.CHANGED, heard)) {
            assertThat(subscription).isNotNull();
            var changed = new HashSet<String>();
            long end = System.nanoTime() + MAX_NANOS;
            boolean announced = false;
            while (!announced && System.nanoTime() < end) {
                changed.add(insert(aJob()).id().toString());
                Signal signal = heard.poll(200, TimeUnit.MILLISECONDS);
                // Signals of an earlier test may arrive here too.
                announced = signal != null && idsIn(signal).stream().anyMatch(changed::contains);
            }
            assertThat(announced).isTrue();
        }
    }

    private static Subscription listen(Store store, Signal.Kind kind, Queue<Signal> heard) {
        return store.work().listen(signal -> {
            if (signal.kind() == kind) {
                heard.add(signal);
            }
        });
    }

    /** Waits for that signal. Signals of an earlier test may arrive before it. */
    private static <T> void awaitOne(BlockingQueue<T> heard, T wanted) {
        T next = next(heard);
        while (!next.equals(wanted)) {
            next = next(heard);
        }
    }

    private static void awaitAll(BlockingQueue<Signal> heard, Collection<JobId> ids) {
        var missing = new HashSet<String>();
        ids.forEach(id -> missing.add(id.toString()));
        while (!missing.isEmpty()) {
            List<String> named = idsIn(next(heard));
            assertThat(named).hasSizeLessThanOrEqualTo(150);
            named.forEach(missing::remove);
        }
    }

    private static List<String> idsIn(Signal changed) {
        return List.of(changed.subject().split(","));
    }

    private Claim running(JobSpec.Builder spec, String queue) {
        insert(spec);
        return store().work()
                .claim(ClaimRequest.of(WORKER, List.of(queue), null, 1, LEASE))
                .get(0)
                .claim();
    }

    private static Signal work(String queue) {
        return new Signal(Signal.Kind.WORK, queue);
    }

    private void hears(Signal expected, Runnable action) {
        var heard = new LinkedBlockingQueue<Signal>();
        try (Subscription subscription = store().work().listen(heard::add)) {
            assertThat(subscription).isNotNull();
            action.run();
            awaitOne(heard, expected);
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
