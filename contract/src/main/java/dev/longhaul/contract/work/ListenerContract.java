package dev.longhaul.contract.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.Race;
import dev.longhaul.contract.schedule.ScheduleWords;
import dev.longhaul.contract.work.FencingContract.Ending;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.Progress;
import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.spi.Store;
import dev.longhaul.spi.StoreListener;
import dev.longhaul.spi.StoreListener.Operation;
import dev.longhaul.spi.Subscription;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.EndedRun;
import dev.longhaul.work.Expired;
import dev.longhaul.work.LeaseRenewal;
import dev.longhaul.work.RunEnd;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.lang.reflect.Proxy;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** Tests the events that a store reports to its listeners, for metrics. */
public abstract class ListenerContract extends ScheduleWords {
    private record Called(
            Operation operation, int jobs, @Nullable Throwable failure) {}

    private record Ended(Claim claim, EndedRun run) {}

    /** Records all events. */
    private static final class Recorder implements StoreListener {
        final List<Called> called = new CopyOnWriteArrayList<>();
        final List<JobId> enqueued = new CopyOnWriteArrayList<>();
        final List<Claim> claimed = new CopyOnWriteArrayList<>();
        final List<@Nullable Duration> leases = Collections.synchronizedList(new ArrayList<>());
        final List<LeaseRenewal> extended = new CopyOnWriteArrayList<>();
        final List<Verdict> saved = new CopyOnWriteArrayList<>();
        final List<Transition> applying = new CopyOnWriteArrayList<>();
        final List<Ended> ended = new CopyOnWriteArrayList<>();
        final List<Verdict> applied = new CopyOnWriteArrayList<>();
        final List<JobId> cancelled = new CopyOnWriteArrayList<>();
        final List<Expired> expired = new CopyOnWriteArrayList<>();
        final List<Boolean> leads = new CopyOnWriteArrayList<>();
        final List<Fire> fired = new CopyOnWriteArrayList<>();

        @Override
        public void called(Operation operation, Duration took, int jobs, @Nullable Throwable failure) {
            assertThat(took).isPositive();
            called.add(new Called(operation, jobs, failure));
        }

        @Override
        public void enqueued(List<JobSpec> jobs) {
            jobs.forEach(job -> enqueued.add(job.id()));
        }

        @Override
        public void claimed(List<ClaimedJob> jobs, @Nullable Duration lease) {
            jobs.forEach(job -> claimed.add(job.claim()));
            leases.add(lease);
        }

        @Override
        public void extended(List<LeaseRenewal> answers, Duration lease) {
            extended.addAll(answers);
        }

        @Override
        public void saved(List<RunUpdate> updates, List<Verdict> verdicts) {
            saved.addAll(verdicts);
        }

        @Override
        public void applying(List<Transition> transitions) {
            applying.addAll(transitions);
        }

        @Override
        public void ended(Claim claim, EndedRun run) {
            ended.add(new Ended(claim, run));
        }

        @Override
        public void applied(List<Transition> transitions, List<Verdict> verdicts) {
            applied.addAll(verdicts);
        }

        @Override
        public void cancelled(Job job) {
            assertThat(job.state()).isEqualTo(JobState.CANCELLED);
            cancelled.add(job.id());
        }

        @Override
        public void expired(List<Expired> runs) {
            expired.addAll(runs);
        }

        @Override
        public void leads(boolean does) {
            leads.add(does);
        }

        @Override
        public void fired(List<Fire> fires) {
            fired.addAll(fires);
        }
    }

    private Recorder recorder() {
        var recorder = new Recorder();
        store().observe(recorder);
        return recorder;
    }

    @Test
    void are_notified_of_new_jobs_only() {
        Recorder recorder = recorder();
        JobSpec spec = aJob().idempotencyKey("once").build();
        insert(spec);
        insert(spec);
        JobSpec fresh = aJob().build();
        insertFresh(List.of(fresh));

        assertThat(recorder.enqueued).containsExactly(spec.id(), fresh.id());
        assertThat(recorder.called).hasSize(3).allMatch(one -> one.equals(new Called(Operation.INSERT, 1, null)));
    }

    @Test
    void are_notified_of_claims_and_of_claims_that_are_read_again() {
        Recorder recorder = recorder();
        Claim claim = running();
        store().work().claimed(claim.key());
        JobId id = insert(aJob()).id();
        Claim byId =
                store().claimById().claimOne(id, Claim.newKey(), WORKER, HOUR).claim();

        assertThat(recorder.claimed).containsExactly(claim, claim, byId);
        assertThat(recorder.leases).containsExactly(LEASE, null, HOUR);
        assertThat(recorder.called).contains(new Called(Operation.CLAIM, 1, null));
    }

    @Test
    void are_notified_of_renewals_and_reports() {
        Recorder recorder = recorder();
        Claim claim = running();
        store().work().extend(List.of(claim), LEASE);
        save(RunUpdate.progress(claim, new Progress(50, null)));

        assertThat(recorder.extended).containsExactly(new LeaseRenewal(claim, true, null));
        assertThat(recorder.saved).containsExactly(Verdict.WON);
        assertThat(recorder.called)
                .contains(new Called(Operation.EXTEND, 1, null), new Called(Operation.SAVE, 1, null));
    }

    @ParameterizedTest
    @EnumSource
    void are_notified_of_the_end_of_a_run_once(Ending ending) {
        Claim claim = running();
        reportsTheEndOf(claim, ending.of(claim));
    }

    @ParameterizedTest
    @EnumSource
    void are_notified_of_the_cancelled_end_after_a_cancel_request(Ending ending) {
        Claim claim = cancelling();
        reportsTheEndOf(claim, ending.of(claim));
    }

    private void reportsTheEndOf(Claim claim, Transition transition) {
        Job before = look(claim.jobId());
        advance(SECOND);
        Recorder recorder = recorder();
        win(transition);
        win(transition);

        assertThat(recorder.applying).containsExactly(transition, transition);
        assertThat(recorder.applied).containsExactly(Verdict.WON, Verdict.WON);
        assertThat(recorder.ended).singleElement().extracting(Ended::claim).isEqualTo(claim);
        EndedRun ended = recorder.ended.get(0).run();
        assertThat(ended.definitionKey()).isEqualTo(before.spec().definition().key());
        assertThat(ended.end().state()).isEqualTo(look(claim.jobId()).state());
        assertThat(ended.end())
                .isEqualTo(RunEnd.of(
                                transition,
                                before.state(),
                                before.tally(),
                                before.spec().maxAttempts())
                        .orElseThrow());
        assertThat(ended.startedAt()).isEqualTo(before.times().startedAt());
        assertThat(Duration.between(before.times().startedAt(), ended.endedAt()))
                .isBetween(SECOND, SECOND.plus(HOUR));
    }

    @Test
    void are_notified_of_no_end_by_a_lost_claim() {
        Claim claim = running();
        lapse();
        Recorder recorder = recorder();
        apply(Transition.succeed(claim, "{}"));

        assertThat(recorder.applied).containsExactly(Verdict.LOST);
        assertThat(recorder.ended).isEmpty();
    }

    @Test
    void are_notified_of_a_cancel_that_ends_a_job_and_of_no_other() {
        Recorder recorder = recorder();
        JobId waiting = insert(aJob()).id();
        cancel(waiting);
        cancel(waiting);
        cancelling();

        assertThat(recorder.cancelled).containsExactly(waiting);
    }

    @Test
    void are_notified_once_when_several_callers_cancel_a_job() {
        Recorder recorder = recorder();
        Stream.of(anotherStore()).filter(other -> other != store()).forEach(other -> other.observe(recorder));
        for (int i = 0; i < 10; i++) {
            JobId id = insert(aJob()).id();
            Race.of(4, number -> storeOf(number).jobs().execute(JobCommand.cancel(id, null, null, null)));
        }

        assertThat(recorder.cancelled).hasSize(10).doesNotHaveDuplicates();
    }

    @Test
    void are_notified_of_leadership_and_expired_leases() {
        Claim claim = running();
        Recorder recorder = recorder();
        advance(LEASE.plus(SECOND));
        List<Expired> expired = expire(10);
        store().upkeep().lead("another", HOUR, LEASE);
        store().upkeep().resign(leader());

        assertThat(recorder.expired)
                .isEqualTo(expired)
                .extracting(Expired::claim)
                .containsExactly(claim);
        assertThat(recorder.leads).containsExactly(true, false, true, false);
        assertThat(recorder.ended).isEmpty();
    }

    @Test
    void are_notified_of_runs_past_their_deadline() {
        insert(aJob().timeout(Duration.ofSeconds(10)));
        Claim claim = store().work().claim(request(1).remote(SECOND)).get(0).claim();
        Recorder recorder = recorder();
        advance(Duration.ofSeconds(11));
        store().upkeep().endOverdue(leader(), 10);

        assertThat(recorder.ended).extracting(Ended::claim).containsExactly(claim);
    }

    @Test
    void are_notified_of_fires_and_of_their_jobs() {
        Schedule schedule = create(hourly("hourly"));
        Recorder recorder = recorder();
        advance(HOUR.plus(SECOND));
        fireDue();
        schedules().trigger("hourly", null);
        schedules().backfill("hourly", List.of(schedule.createdAt().minusSeconds(60)), SECOND, null);

        assertThat(recorder.fired)
                .extracting(Fire::cause)
                .containsExactly(Fire.Cause.SCHEDULED, Fire.Cause.TRIGGERED, Fire.Cause.BACKFILLED);
        assertThat(recorder.enqueued)
                .isEqualTo(recorder.fired.stream().map(Fire::jobId).toList());
    }

    @Test
    void are_notified_of_operations_that_fail() {
        store().queues().maxDepth(QUEUE, 1);
        insertJobs(1);
        Recorder recorder = recorder();
        LonghaulException full = assertRefused(ErrorCode.RESOURCE_EXHAUSTED, () -> insertJobs(1));

        assertThat(recorder.called).containsExactly(new Called(Operation.INSERT, 0, full));
        assertThat(recorder.enqueued).isEmpty();
    }

    @Test
    void are_notified_of_nothing_once_they_are_closed() {
        var recorder = new Recorder();
        Subscription subscription = store().observe(recorder);
        Subscription second = store().observe(recorder);
        second.close();
        second.close();
        insertJobs(1);
        subscription.close();
        insertJobs(1);

        assertThat(recorder.enqueued).hasSize(1);
    }

    @Test
    void that_throw_affect_neither_the_store_nor_other_listeners() {
        Store store = store();
        store.observe(throwing());
        Recorder recorder = recorder();

        Claim first = running();
        store.work().extend(List.of(first), LEASE);
        save(RunUpdate.progress(first, new Progress(50, null)));
        win(Transition.succeed(first, "{}"));
        win(Transition.fail(running(), BOOM));
        assertThat(cancel(insert(aJob()).id()).state()).isEqualTo(JobState.CANCELLED);
        running();
        advance(LEASE.plus(SECOND));
        assertThat(expire(10)).hasSize(1);
        create(hourly("hourly"));
        assertThat(schedules().trigger("hourly", null).outcome()).isEqualTo(Fire.Outcome.CREATED);

        assertThat(recorder.ended).hasSize(2);
        assertThat(recorder.cancelled).hasSize(1);
        assertThat(recorder.expired).hasSize(1);
        assertThat(recorder.fired).hasSize(1);
    }

    private static StoreListener throwing() {
        return (StoreListener) Proxy.newProxyInstance(
                StoreListener.class.getClassLoader(),
                new Class<?>[] {StoreListener.class},
                (listener, method, arguments) -> {
                    throw new AssertionError("thrown by a listener");
                });
    }
}
