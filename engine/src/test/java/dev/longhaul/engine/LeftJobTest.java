package dev.longhaul.engine;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.internal.text.Times;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Progress;
import dev.longhaul.job.Tally;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class LeftJobTest {
    @Test
    void a_job_is_offered_again_after_a_second_a_few_times_then_ever_later() {
        assertThat(delay(1, Failure.PARAMS_UNREADABLE)).hasSeconds(1);
        assertThat(delay(6, Failure.PARAMS_UNREADABLE)).hasSeconds(1);
        assertThat(delay(7, Failure.PARAMS_UNREADABLE)).hasSeconds(2);
        assertThat(delay(9, Failure.PARAMS_UNREADABLE)).hasSeconds(8);
        assertThat(delay(1_000_000, Failure.PARAMS_UNREADABLE)).hasMinutes(5);
    }

    @Test
    void snoozes_of_the_handler_do_not_count() {
        assertThat(delay(1_000, null)).hasSeconds(1);
        assertThat(delay(1_000, Failure.EXCEPTION)).hasSeconds(1);
    }

    /** The delay of a job in its {@code run}-th run; only this run has spent an attempt. */
    private static Duration delay(int run, @Nullable String lastFailure) {
        var now = Instant.now();
        var job = new Job(
                JobSpec.of(new DefinitionRef("test.any", 1), "{}").build(),
                JobStatus.RUNNING,
                new Times(now, now, now, now, null),
                new Tally(run, 1, 0),
                Progress.NONE,
                null,
                null,
                lastFailure == null ? null : Failure.of(lastFailure, "boom"),
                null);
        return LeftJob.delay(job, Failure.PARAMS_UNREADABLE);
    }
}
