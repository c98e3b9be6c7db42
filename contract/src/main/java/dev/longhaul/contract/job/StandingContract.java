package dev.longhaul.contract.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.StoreContract;
import dev.longhaul.job.JobId;
import dev.longhaul.job.RunTime;
import dev.longhaul.queue.Standing;
import org.junit.jupiter.api.Test;

/** Why a waiting job has not started. */
public abstract class StandingContract extends StoreContract {
    @Test
    void is_empty_for_a_job_that_does_not_exist() {
        assertThat(store().queues().standing(newId())).isEmpty();
    }

    @Test
    void counts_due_jobs_ahead_in_the_same_queue() {
        insertJobs(2);
        insert(aJob(IMPORT).priority(5));
        insert(aJob().priority(-1));
        insert(aJob().queue("other").priority(9));
        insert(aJob().priority(9).runTime(RunTime.after(HOUR)));
        onItsLastLife(aJob().priority(9));
        JobId id = insert(aJob()).id();
        insertJobs(3);

        Standing standing = standing(id);
        assertThat(standing.ahead()).isEqualTo(3);
        assertThat(standing.higher()).isEqualTo(1);
        assertThat(standing.job().id()).isEqualTo(id);
    }

    @Test
    void of_a_job_that_is_not_due_counts_those_that_are() {
        insertJobs(2);
        JobId id = insert(aJob().runTime(RunTime.after(HOUR))).id();

        assertThat(standing(id).ahead()).isEqualTo(2);
    }

    @Test
    void stops_counting_at_its_limit() {
        insertJobs(Standing.MOST_COUNTED + 10);
        JobId id = insert(aJob()).id();

        assertThat(standing(id).ahead()).isEqualTo(Standing.MOST_COUNTED);
    }

    @Test
    void reports_the_pause_of_its_queue() {
        JobId id = insert(aJob()).id();
        assertThat(standing(id).pause()).isNull();
        store().queues().pause(QUEUE, "anna", "release");

        assertThat(present(standing(id).pause()).note()).isEqualTo("release");
    }

    @Test
    void reports_the_limit_of_its_definition_and_how_many_run() {
        limitRuns(1);
        running();
        JobId id = insert(aJob()).id();

        assertThat(standing(id).limit()).isEqualTo(1);
        assertThat(standing(id).running()).isEqualTo(1);
    }

    @Test
    void of_a_job_that_runs_or_has_ended_has_no_jobs_ahead() {
        JobId ended = succeeded();
        JobId runs = running().jobId();
        insertJobs(2);

        assertThat(standing(ended).ahead()).isZero();
        assertThat(standing(runs).ahead()).isZero();
    }

    private Standing standing(JobId id) {
        return store().queues().standing(id).orElseThrow();
    }
}
