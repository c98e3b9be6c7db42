package dev.longhaul.contract.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobQuery;
import dev.longhaul.contract.Race;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.contract.Whole;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.Step;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

public abstract class RetentionContract extends StoreContract {
    private static final Duration WEEK = Duration.ofDays(7);
    private static final Duration DAY = Duration.ofDays(1);

    @Test
    void removes_jobs_that_finished_long_ago() {
        JobId succeeded = succeeded();
        JobId failed = failed();
        JobId cancelled = cancelled();
        advance(WEEK.plus(DAY));

        assertThat(retain(WEEK).jobs()).isEqualTo(3);

        for (JobId id : List.of(succeeded, failed, cancelled)) {
            assertThat(store().jobs().find(id)).isEmpty();
        }
        assertThat(store().jobs().list(JobQuery.ALL).jobs()).isEmpty();
        assertThat(store().queues().all()).isEmpty();
    }

    @Test
    void removes_runs_steps_and_events_with_their_job() {
        Claim first = running();
        save(RunUpdate.step(first, new Step("fetch", "1")));
        win(Transition.retry(first, RunAt.now(), BOOM));
        win(Transition.fail(claimNext().claim(), BOOM));
        advance(WEEK.plus(DAY));
        retain(WEEK);

        assertThat(store().jobs().runs(first.jobId())).isEmpty();
        assertThat(store().work().steps(first.jobId())).isEmpty();
        assertThat(events(first.jobId())).isEmpty();
    }

    @Test
    void keeps_jobs_that_finished_recently() {
        JobId id = succeeded();
        advance(WEEK.minus(DAY));
        Whole before = whole(id);

        assertThat(retain(WEEK).jobs()).isZero();
        assertThat(whole(id)).isEqualTo(before);
    }

    @Test
    void separates_old_from_new_jobs() {
        JobId old = succeeded();
        advance(DAY.multipliedBy(2));
        JobId young = succeeded();
        advance(WEEK.minus(DAY));

        assertThat(retain(WEEK).jobs()).isEqualTo(1);
        assertThat(store().jobs().find(old)).isEmpty();
        assertThat(store().jobs().find(young)).isPresent();
        assertThat(retain(WEEK).jobs()).isZero();
    }

    @Test
    void of_an_hour_removes_jobs_that_finished_before_and_keeps_later_ones() {
        Job old = insert(aJob().idempotencyKey("k"));
        Claim retried = claimNext().claim();
        win(Transition.retry(retried, RunAt.now(), BOOM));
        win(Transition.succeed(claimNext().claim(), "{}"));
        Claim going = running();
        advance(HOUR.multipliedBy(2));
        JobId young = succeeded();
        Whole before = whole(young);

        assertThat(retain(HOUR).jobs()).isEqualTo(1);

        assertThat(store().jobs().find(old.id())).isEmpty();
        assertThat(store().jobs().runs(old.id())).isEmpty();
        assertThat(events(old.id())).isEmpty();
        assertThat(whole(young)).isEqualTo(before);
        assertThat(look(going.jobId()).state()).isEqualTo(JobState.RUNNING);
        assertThat(insert(aJob().idempotencyKey("k").build()).isNew()).isTrue();
        assertThat(retain(HOUR).jobs()).isZero();
    }

    @Test
    void keeps_live_jobs_however_old() {
        Claim running = running();
        JobId held = insert(aJob().hold(true)).id();
        JobId waiting = insert(aJob()).id();
        JobId finished = cancelled();
        advance(DAY.multipliedBy(30));

        assertThat(retain(WEEK).jobs()).isEqualTo(1);
        assertThat(store().jobs().find(finished)).isEmpty();
        assertThat(look(running.jobId()).state()).isEqualTo(JobState.RUNNING);
        assertThat(look(held).state()).isEqualTo(JobState.CREATED);
        assertThat(idsOf(claim(10))).containsExactly(waiting);
        assertThat(story(running.jobId())).containsExactly(EventType.CREATED, EventType.STARTED);
    }

    @Test
    void counts_from_the_end_of_a_job_and_not_from_its_beginning() {
        Claim claim = running();
        save(RunUpdate.step(claim, new Step("fetch", "1")));
        advance(DAY.multipliedBy(30));
        win(Transition.succeed(claim, "{}"));

        assertThat(retain(WEEK).jobs()).isZero();
        assertThat(look(claim.jobId()).state()).isEqualTo(JobState.SUCCEEDED);
        assertThat(store().work().steps(claim.jobId())).hasSize(1);
        assertThat(story(claim.jobId())).hasSize(4);
        advance(WEEK.plus(DAY));
        assertThat(retain(WEEK).jobs()).isEqualTo(1);
    }

    @Test
    void keeps_an_old_job_that_was_retried() {
        JobId id = failed();
        advance(DAY.multipliedBy(6));
        retry(id, null);
        advance(WEEK);

        assertThat(retain(WEEK).jobs()).isZero();
        assertThat(story(id))
                .containsExactly(EventType.CREATED, EventType.STARTED, EventType.FAILED, EventType.RETRIED);
        assertThat(claimNext().claim().run()).isEqualTo(2);
    }

    @Test
    void frees_the_idempotency_keys_of_removed_jobs() {
        Job first = insert(aJob().idempotencyKey("gone"));
        cancel(first.id());
        Job live = insert(aJob().idempotencyKey("live"));
        advance(WEEK.plus(DAY));
        assertThat(insert(aJob().idempotencyKey("gone").build()).isNew()).isFalse();
        retain(WEEK);

        assertThat(insert(aJob().idempotencyKey("gone")).id()).isNotEqualTo(first.id());
        assertThat(insert(aJob().idempotencyKey("live").build()).job().id()).isEqualTo(live.id());
    }

    @Test
    void makes_removed_jobs_unknown() {
        Claim claim = running();
        win(Transition.fail(claim, BOOM));
        advance(WEEK.plus(DAY));
        retain(WEEK);

        assertRefused(ErrorCode.NOT_FOUND, () -> retry(claim.jobId(), null));
        assertRefused(ErrorCode.NOT_FOUND, () -> cancel(claim.jobId()));
        assertThat(apply(Transition.fail(claim, BOOM))).isEqualTo(Verdict.LOST);
    }

    @Test
    void does_not_disturb_concurrent_work() {
        for (int i = 0; i < 20; i++) {
            cancelled();
        }
        advance(WEEK.plus(DAY));

        List<List<JobId>> stored = Race.of(4, i -> {
            var mine = new ArrayList<JobId>();
            for (int n = 0; n < 10; n++) {
                if (i == 0) {
                    retain(WEEK);
                } else {
                    mine.addAll(insertJobs(3));
                    storeOf(i)
                            .work()
                            .claim(request(2))
                            .forEach(claimed -> win(Transition.succeed(claimed.claim(), "{}")));
                }
            }
            return mine;
        });

        List<JobId> all = stored.stream().flatMap(List::stream).toList();
        assertThat(all).hasSize(90).allMatch(id -> store().jobs().find(id).isPresent());
        assertThat(store().jobs().list(JobQuery.where().limit(500).build()).jobs())
                .hasSize(90);
    }
}
