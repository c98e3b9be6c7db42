package dev.longhaul.contract.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.Race;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.contract.Whole;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.ScheduleFire;
import dev.longhaul.spi.Store;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Transition;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Tests changes of jobs that do not run yet: edit, release and run now. */
public abstract class EditContract extends StoreContract {
    @Test
    void edit_changes_the_named_fields() {
        JobId id = insert(aJob().name("old").labels(Map.of("a", "1"))).id();
        var edit = new JobEdit("new", RunAt.after(HOUR), 9, "{\"n\":2}", Map.of("b", "2"), 7);
        Instant before = now();

        Job job = edit(id, edit, "anna");

        assertThat(job.spec().name()).isEqualTo("new");
        assertThat(job.spec().priority()).isEqualTo(9);
        assertThat(job.spec().params()).isEqualTo("{\"n\":2}");
        assertThat(job.spec().labels()).containsExactly(Map.entry("b", "2"));
        assertThat(job.spec().maxAttempts()).isEqualTo(7);
        assertThat(job.times().runAt()).isBetween(before.plus(HOUR), now().plus(HOUR));
        assertThat(look(id)).isEqualTo(job);
        assertThat(story(id)).containsExactly(EventType.CREATED, EventType.EDITED);
        assertThat(lastEvent(id).run()).isZero();
        assertThat(lastEvent(id).payload()).isEqualTo("{\"by\":\"anna\"}");
    }

    @Test
    void edit_keeps_all_other_fields() {
        Job before = insert(aJob().name("it")
                .labels(Map.of("a", "1"))
                .correlationId("c")
                .runTime(RunAt.after(HOUR))
                .priority(4));

        Job after = edit(before.id(), new JobEdit(null, null, null, "[1]", null, null), null);

        assertThat(after.spec())
                .isEqualTo(before.spec().toBuilder().params("[1]").build());
        assertThat(after.times().runAt()).isEqualTo(before.times().runAt());
        assertThat(lastEvent(before.id()).payload()).isNull();
    }

    @Test
    void edit_moves_the_job_to_its_new_position() {
        List<JobId> ids = insertJobs(3);
        edit(ids.get(2), new JobEdit(null, null, 5, null, null, null), null);
        edit(ids.get(0), JobEdit.runTime(RunAt.after(HOUR)), null);

        assertThat(idsOf(claim(10))).containsExactly(ids.get(2), ids.get(1));
    }

    @Test
    void edit_changes_a_held_job_and_leaves_it_held() {
        JobId id = insert(aJob().hold(true)).id();
        Job job = edit(id, JobEdit.runTime(RunAt.after(HOUR)), null);

        assertThat(job.state()).isEqualTo(JobState.CREATED);
        assertThat(job.times().runAt()).isAfter(now());
    }

    @Test
    void edit_to_an_invalid_job_is_rejected() {
        JobId id = insert(aJob()).id();
        Whole before = whole(id);
        var edit = new JobEdit(null, null, 5000, null, null, 0);

        assertThat(assertRefused(ErrorCode.INVALID_ARGUMENT, () -> edit(id, edit, null))
                        .errors())
                .extracting("field")
                .containsExactly("priority", "maxAttempts");
        assertThat(whole(id)).isEqualTo(before);
    }

    @Test
    void edit_keeps_the_idempotency_key() {
        Job first = insert(aJob().idempotencyKey("k"));
        edit(first.id(), new JobEdit("renamed", null, null, null, null, null), null);

        assertThat(insert(aJob().idempotencyKey("k").build()).job().id()).isEqualTo(first.id());
    }

    @Test
    void release_makes_a_held_job_eligible() {
        JobId id = insert(aJob().hold(true)).id();
        advance(HOUR);
        Instant before = now();

        Job job = release(id, "anna");

        assertThat(job.status()).isEqualTo(JobStatus.QUEUED);
        assertThat(job.times().runAt()).isBetween(before, now());
        assertThat(look(id)).isEqualTo(job);
        assertThat(story(id)).containsExactly(EventType.CREATED, EventType.RELEASED);
        assertThat(lastEvent(id).run()).isZero();
        assertThat(lastEvent(id).payload()).isEqualTo("{\"by\":\"anna\"}");
        assertThat(idsOf(claim(1))).containsExactly(id);
    }

    @Test
    void hold_keeps_a_waiting_job_from_running_until_it_is_released() {
        JobId id = insert(aJob()).id();

        Job held = hold(id, "anna");

        assertThat(held.status()).isEqualTo(JobStatus.CREATED);
        assertThat(look(id)).isEqualTo(held);
        assertThat(lastEvent(id).type()).isEqualTo(EventType.HELD);
        assertThat(lastEvent(id).payload()).isEqualTo("{\"by\":\"anna\"}");
        assertThat(claim(1)).isEmpty();
        release(id, null);
        assertThat(idsOf(claim(1))).containsExactly(id);
    }

    @Test
    void hold_keeps_the_attempts_and_the_run_time_of_a_retrying_job() {
        Claim claim = running();
        win(Transition.retry(claim, RunAt.after(HOUR), BOOM));
        Job retrying = look(claim.jobId());

        hold(claim.jobId(), null);
        Job released = release(claim.jobId(), null);

        assertThat(released.status()).isEqualTo(JobStatus.RETRYING);
        assertThat(released.tally()).isEqualTo(retrying.tally());
        assertThat(released.failure()).isEqualTo(BOOM);
        assertThat(released.times().runAt()).isEqualTo(retrying.times().runAt());
    }

    @Test
    void hold_rejects_a_job_of_a_schedule_which_would_release_it() {
        var fire = new ScheduleFire("nightly", now());
        JobId id = insert(aJob().schedule(fire)).id();

        assertThat(assertRefused(ErrorCode.FAILED_PRECONDITION, () -> hold(id, null)))
                .hasMessage("job " + id
                        + " belongs to schedule nightly and cannot be held; pause the schedule, or cancel the job");
        assertThat(idsOf(claim(1))).containsExactly(id);
    }

    @Test
    void errors_name_the_next_step() {
        JobId ended = succeeded();
        assertThat(assertRefused(ErrorCode.FAILED_PRECONDITION, () -> hold(ended, null)))
                .hasMessage("cannot hold succeeded job " + ended
                        + "; only scheduled, queued and retrying jobs can be held");

        JobId held = insert(aJob().hold(true)).id();
        assertThat(assertRefused(ErrorCode.FAILED_PRECONDITION, () -> hold(held, null)))
                .hasMessage("job " + held + " is already held");
        assertThat(assertRefused(ErrorCode.FAILED_PRECONDITION, () -> runNow(held, null)))
                .hasMessage("job " + held + " is held; release it first");
    }

    @Test
    void release_keeps_a_run_time_in_the_future() {
        Job held = insert(aJob().hold(true).runTime(RunAt.after(HOUR)));
        Job released = release(held.id(), null);

        assertThat(released.status()).isEqualTo(JobStatus.SCHEDULED);
        assertThat(released.times().runAt()).isEqualTo(held.times().runAt());
    }

    @Test
    void run_now_makes_a_scheduled_job_due() {
        JobId id = insert(aJob().runTime(RunAt.after(HOUR))).id();
        Instant before = now();

        Job job = runNow(id, "anna");

        assertThat(job.status()).isEqualTo(JobStatus.QUEUED);
        assertThat(job.times().runAt()).isBetween(before, now());
        assertThat(story(id)).containsExactly(EventType.CREATED, EventType.EDITED);
        assertThat(lastEvent(id).payload()).isEqualTo("{\"by\":\"anna\"}");
        assertThat(idsOf(claim(1))).containsExactly(id);
    }

    @Test
    void run_now_makes_a_retrying_job_due() {
        Claim claim = running();
        win(Transition.retry(claim, RunAt.after(HOUR), BOOM));

        assertThat(runNow(claim.jobId(), null).status()).isEqualTo(JobStatus.QUEUED);
        assertThat(claimNext().claim().run()).isEqualTo(2);
    }

    @Test
    void commands_on_unknown_jobs_are_rejected() {
        assertRefused(ErrorCode.NOT_FOUND, () -> hold(newId(), null));
        assertRefused(ErrorCode.NOT_FOUND, () -> release(newId(), null));
        assertRefused(ErrorCode.NOT_FOUND, () -> edit(newId(), JobEdit.NOTHING, null));
        assertRefused(ErrorCode.NOT_FOUND, () -> runNow(newId(), null));
    }

    @Test
    void edit_and_claim_agree_on_their_order() {
        for (int round = 0; round < 10; round++) {
            JobId id = insert(aJob().params("1")).id();
            List<String> seen = Race.of(
                    2,
                    i -> i == 0
                            ? editedOrRefused(id)
                            : claimedFrom(anotherStore()).spec().params());

            boolean edited = seen.get(0).equals("2");
            assertThat(seen.get(1)).isEqualTo(edited ? "2" : "1");
            assertThat(look(id).spec().params()).isEqualTo(seen.get(1));
        }
    }

    /** Claims the next job. A claim skips a job that another caller is changing, so several claims may be needed. */
    private Job claimedFrom(Store store) {
        while (true) {
            List<ClaimedJob> claimed = store.work().claim(request(1));
            if (!claimed.isEmpty()) {
                return claimed.get(0).job();
            }
        }
    }

    private String editedOrRefused(JobId id) {
        try {
            return edit(id, new JobEdit(null, null, null, "2", null, null), null)
                    .spec()
                    .params();
        } catch (LonghaulException refused) {
            return "refused";
        }
    }
}
