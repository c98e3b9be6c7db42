package dev.longhaul.contract.schedule;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.RunAt;
import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.Fire;
import dev.longhaul.schedule.Overlap;
import dev.longhaul.schedule.PastFire;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.schedule.ScheduleSpec;
import dev.longhaul.spi.ScheduleFires.HeldJob;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests schedules that are due while an earlier job of the same schedule has not ended. */
public abstract class OverlapContract extends ScheduleWords {
    private Claim runningJobOf(Overlap overlap) {
        create(with(hourly("a"), overlap));
        advance(HOUR);
        fireDue();
        return claimNext().claim();
    }

    private Fire next() {
        advance(HOUR);
        return fireDue().fires().get(0);
    }

    @Test
    void allow_creates_another_job() {
        runningJobOf(Overlap.ALLOW);
        assertThat(look(present(next().jobId())).status()).isEqualTo(JobStatus.QUEUED);
    }

    @Test
    void skip_creates_none() {
        Claim first = runningJobOf(Overlap.SKIP);
        Fire skipped = next();
        assertThat(skipped.outcome()).isEqualTo(Fire.Outcome.SKIPPED);
        assertThat(skipped.jobId()).isNull();
        assertThat(schedule("a").runs()).as("it did not run").isEqualTo(1);
        assertThat(schedule("a").lastJobId()).isEqualTo(first.jobId());
        win(Transition.succeed(first, "{}"));
        assertThat(next().outcome()).isEqualTo(Fire.Outcome.CREATED);
    }

    @Test
    void skip_creates_none_beside_one_that_waits_for_its_retry() {
        Claim first = runningJobOf(Overlap.SKIP);
        win(Transition.retry(first, RunAt.after(Duration.ofDays(1)), BOOM));
        assertThat(next().outcome()).isEqualTo(Fire.Outcome.SKIPPED);
    }

    @Test
    void queue_one_holds_one_and_no_more() {
        Claim first = runningJobOf(Overlap.QUEUE_ONE);
        JobId held = present(next().jobId());
        assertThat(look(held).status()).isEqualTo(JobStatus.CREATED);
        assertThat(next().outcome()).isEqualTo(Fire.Outcome.SKIPPED);
        assertThat(held()).containsExactly(heldJob(held, false, first.jobId()));
        win(Transition.succeed(first, "{}"));
        assertThat(held()).containsExactly(heldJob(held, false));
        release(held, null);
        assertThat(held()).isEmpty();
    }

    private List<HeldJob> held() {
        return scheduleFires().held(null, 10);
    }

    private HeldJob heldJob(JobId id, boolean cancels, JobId... ahead) {
        return new HeldJob(id, present(look(id).spec().schedule()), cancels, List.of(ahead));
    }

    @Test
    void held_jobs_are_listed_in_pages() {
        for (String key : List.of("a", "b", "c")) {
            create(with(hourly(key), Overlap.QUEUE_ONE));
        }
        advance(HOUR);
        fireDue();
        advance(HOUR);
        fireDue();
        List<HeldJob> all = held();
        assertThat(all).hasSize(3);
        List<HeldJob> first = scheduleFires().held(null, 2);
        assertThat(first).isEqualTo(all.subList(0, 2));
        assertThat(scheduleFires().held(first.get(1), 2)).isEqualTo(all.subList(2, 3));
    }

    @Test
    void it_still_blocks_when_its_schedule_is_deleted_and_created_again() {
        Claim first = runningJobOf(Overlap.QUEUE_ONE);
        JobId held = present(next().jobId());
        schedules().delete("a");
        assertThat(held()).containsExactly(heldJob(held, false, first.jobId()));
        create(with(hourly("a"), Overlap.SKIP));
        assertThat(next().outcome()).isEqualTo(Fire.Outcome.SKIPPED);
    }

    @Test
    void one_that_was_triggered_later_does_not_block() {
        Claim first = runningJobOf(Overlap.CANCEL_PREVIOUS);
        JobId second = present(next().jobId());
        advance(SECOND);
        schedules().trigger("a", null);
        assertThat(held()).containsExactly(heldJob(second, true, first.jobId()));
    }

    @Test
    void cancel_previous_holds_its_own_until_they_have_ended() {
        Claim first = runningJobOf(Overlap.CANCEL_PREVIOUS);
        JobId second = present(next().jobId());
        JobId third = present(next().jobId());
        assertThat(held())
                .containsExactly(heldJob(second, true, first.jobId()), heldJob(third, true, first.jobId(), second));
    }

    @Test
    void of_several_that_are_due_at_once_as_many_run_as_allowed() {
        for (Overlap overlap : Overlap.values()) {
            ScheduleSpec hourly = with(hourly(overlap.name()), overlap);
            var all = new CatchUp(CatchUp.Policy.ALL, 100, Duration.ofDays(1));
            create(new ScheduleSpec(hourly.key(), hourly.job(), hourly.timetable(), all, overlap));
        }
        advance(HOUR.multipliedBy(4));
        fireDue();
        assertThat(statuses("ALLOW")).containsExactly("queued", "queued", "queued", "queued");
        assertThat(statuses("SKIP")).containsExactly("queued", "none", "none", "none");
        assertThat(statuses("QUEUE_ONE")).containsExactly("queued", "created", "none", "none");
        assertThat(statuses("CANCEL_PREVIOUS")).containsExactly("none", "none", "none", "queued");
    }

    /** Returns the statuses of the jobs of the schedule's fires, earliest first. */
    private List<String> statuses(String key) {
        var all = new ArrayList<String>();
        for (PastFire past : schedules().fires(key, null, 10)) {
            Job job = past.job();
            all.add(0, job == null ? "none" : job.status().wireName());
        }
        return all;
    }

    @Test
    void backfilled_jobs_block_no_other() {
        Schedule before = create(with(hourly("a"), Overlap.SKIP));
        schedules().backfill("a", List.of(present(before.nextRunAt()).minus(HOUR)), SECOND, null);
        assertThat(next().outcome()).isEqualTo(Fire.Outcome.CREATED);
    }

    @Test
    void a_triggered_job_blocks() {
        create(with(hourly("a"), Overlap.SKIP));
        schedules().trigger("a", null);
        assertThat(next().outcome()).isEqualTo(Fire.Outcome.SKIPPED);
    }
}
