package dev.longhaul.api.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.api.rest.ScalingRoutes.QueueLoad;
import dev.longhaul.job.JobStatus;
import dev.longhaul.queue.Pause;
import dev.longhaul.queue.QueueStats;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

/** How many workers a load needs. */
class QueueLoadTest {
    private static final Duration MINUTE = Duration.ofMinutes(1);

    private static QueueLoad load(long due, long running, @Nullable Duration oldestDue) {
        return new QueueLoad("mail", due, running, oldestDue, false, false);
    }

    private static long workers(QueueLoad... loads) {
        return QueueLoad.workers(List.of(loads), 4, MINUTE);
    }

    @Test
    void nothing_to_do_needs_no_worker() {
        assertThat(workers()).isZero();
        assertThat(workers(load(0, 0, null))).isZero();
    }

    @Test
    void the_first_due_job_needs_a_worker_at_once() {
        assertThat(workers(load(1, 0, Duration.ZERO))).isEqualTo(1);
        assertThat(workers(load(1000, 0, Duration.ZERO))).isEqualTo(1);
    }

    @Test
    void running_jobs_keep_their_workers() {
        assertThat(workers(load(0, 1, null))).isEqualTo(1);
        assertThat(workers(load(0, 9, null))).isEqualTo(3);
        assertThat(workers(load(50, 8, Duration.ZERO))).isEqualTo(2);
    }

    @Test
    void the_older_the_oldest_job_the_more_due_jobs_count() {
        assertThat(workers(load(80, 8, Duration.ofSeconds(15)))).isEqualTo(7);
        assertThat(workers(load(80, 8, Duration.ofSeconds(30)))).isEqualTo(12);
        assertThat(workers(load(80, 8, MINUTE))).isEqualTo(22);
        assertThat(workers(load(80, 8, Duration.ofHours(1)))).isEqualTo(22);
    }

    @Test
    void without_a_target_every_due_job_needs_a_slot() {
        assertThat(QueueLoad.workers(List.of(load(9, 3, Duration.ZERO)), 4, Duration.ZERO))
                .isEqualTo(3);
    }

    @Test
    void queues_share_workers() {
        assertThat(workers(load(0, 1, null), load(0, 3, null))).isEqualTo(1);
        assertThat(workers(load(1, 0, Duration.ZERO), load(0, 4, null))).isEqualTo(2);
    }

    @Test
    void due_jobs_of_a_paused_queue_do_not_count() {
        var stats = new QueueStats(
                "mail",
                Map.of(JobStatus.QUEUED, 7L, JobStatus.RUNNING, 2L, JobStatus.CANCELLING, 1L),
                MINUTE,
                new Pause(Instant.EPOCH, null, null),
                null);
        assertThat(QueueLoad.of(stats)).isEqualTo(new QueueLoad("mail", 0, 3, null, true, false));
    }

    @Test
    void a_sample_without_due_jobs_does_not_hide_the_oldest_one() {
        var stats = new QueueStats("mail", Map.of(JobStatus.SCHEDULED, 5L), MINUTE, null, null, true);
        assertThat(QueueLoad.of(stats)).isEqualTo(new QueueLoad("mail", 1, 0, MINUTE, false, true));
    }
}
