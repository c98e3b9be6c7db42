package dev.longhaul.contract.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.StoreContract;
import dev.longhaul.job.JobId;
import dev.longhaul.job.RunAt;
import dev.longhaul.queue.QueuePosition;
import org.junit.jupiter.api.Test;

/** Tests the reasons why a waiting job has not started. */
public abstract class QueuePositionContract extends StoreContract {
    @Test
    void is_empty_for_a_job_that_does_not_exist() {
        assertThat(store().queues().position(newId())).isEmpty();
    }

    @Test
    void counts_due_jobs_ahead_in_the_same_queue() {
        insertJobs(2);
        insert(aJob(IMPORT).priority(5));
        insert(aJob().priority(-1));
        insert(aJob().queue("other").priority(9));
        insert(aJob().priority(9).runTime(RunAt.after(HOUR)));
        onItsLastLife(aJob().priority(9));
        JobId id = insert(aJob()).id();
        insertJobs(3);

        QueuePosition position = position(id);
        assertThat(position.ahead()).isEqualTo(3);
        assertThat(position.higher()).isEqualTo(1);
        assertThat(position.job().id()).isEqualTo(id);
    }

    @Test
    void of_a_job_that_is_not_due_counts_those_that_are() {
        insertJobs(2);
        JobId id = insert(aJob().runTime(RunAt.after(HOUR))).id();

        assertThat(position(id).ahead()).isEqualTo(2);
    }

    @Test
    void stops_counting_at_its_limit() {
        insertJobs(QueuePosition.MOST_COUNTED + 10);
        JobId id = insert(aJob()).id();

        assertThat(position(id).ahead()).isEqualTo(QueuePosition.MOST_COUNTED);
    }

    @Test
    void reports_the_pause_of_its_queue() {
        JobId id = insert(aJob()).id();
        assertThat(position(id).pause()).isNull();
        store().queues().pause(QUEUE, "anna", "release");

        assertThat(present(position(id).pause()).note()).isEqualTo("release");
    }

    @Test
    void reports_the_limit_of_its_definition_and_how_many_run() {
        limitRuns(1);
        running();
        JobId id = insert(aJob()).id();

        assertThat(position(id).limit()).isEqualTo(1);
        assertThat(position(id).running()).isEqualTo(1);
    }

    @Test
    void of_a_job_that_runs_or_has_ended_has_no_jobs_ahead() {
        JobId ended = succeeded();
        JobId runs = running().jobId();
        insertJobs(2);

        assertThat(position(ended).ahead()).isZero();
        assertThat(position(runs).ahead()).isZero();
    }

    private QueuePosition position(JobId id) {
        return store().queues().position(id).orElseThrow();
    }
}
