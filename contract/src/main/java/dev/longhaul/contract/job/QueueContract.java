package dev.longhaul.contract.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.StoreContract;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.RunAt;
import dev.longhaul.queue.Pause;
import dev.longhaul.queue.QueueStats;
import dev.longhaul.work.WorkFilter;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** Tests queues, their statistics, and due jobs. */
public abstract class QueueContract extends StoreContract {
    @Test
    void are_none_in_an_empty_store() {
        assertThat(store().queues().all()).isEmpty();
    }

    @Test
    void come_by_name_when_they_have_jobs_or_settings() {
        insert(aJob().queue("m"));
        cancel(insert(aJob().queue("finished-only")).id());
        store().queues().pause("z", null, null);
        store().queues().maxDepth("a", 5);

        assertThat(store().queues().all())
                .extracting(QueueStats::queue)
                .containsExactly("a", "finished-only", "m", "z");
    }

    @Test
    void count_their_jobs_by_status() {
        oneOfEach();
        insertJobs(2);
        insert(aJob().queue("other"));

        QueueStats stats = queue(QUEUE);
        for (JobStatus status : JobStatus.values()) {
            assertThat(stats.count(status)).as(status.name()).isEqualTo(status == JobStatus.QUEUED ? 3 : 1);
        }
        assertThat(queue("other").counts()).containsOnlyKeys(JobStatus.QUEUED);
    }

    @Test
    void report_how_long_the_oldest_due_job_has_been_waiting() {
        insert(aJob());
        advance(Duration.ofMinutes(10));
        insert(aJob());
        insert(aJob().queue("future").runTime(RunAt.after(HOUR)));
        insert(aJob().queue("held").hold(true));

        assertThat(queue(QUEUE).oldestDue()).isBetween(Duration.ofMinutes(10), Duration.ofMinutes(11));
        assertThat(queue("future").oldestDue()).isNull();
        assertThat(queue("held").oldestDue()).isNull();
        claim(1);
        assertThat(queue(QUEUE).oldestDue()).isLessThan(Duration.ofMinutes(1));
    }

    @Test
    void report_who_paused_them_and_why() {
        Instant before = now();
        store().queues().pause("a", "anna", "database upgrade");

        Pause pause = present(anotherQueue("a").pause());
        assertThat(pause.since()).isBetween(before, now());
        assertThat(pause.by()).isEqualTo("anna");
        assertThat(pause.note()).isEqualTo("database upgrade");
    }

    @Test
    void are_no_longer_paused_once_resumed() {
        insert(aJob());
        store().queues().pause(QUEUE, "anna", null);
        store().queues().resume(QUEUE);
        store().queues().resume(QUEUE);
        store().queues().resume("never-heard-of");

        assertThat(queue(QUEUE).pause()).isNull();
        assertThat(claim(1)).hasSize(1);
    }

    @Test
    void let_running_jobs_continue_while_paused() {
        var claim = running();
        store().queues().pause(QUEUE, null, null);

        assertThat(store().work().extend(List.of(claim), LEASE).get(0).held()).isTrue();
    }

    @Test
    void accept_jobs_while_paused() {
        store().queues().pause(QUEUE, null, null);
        insert(aJob());

        assertThat(queue(QUEUE).count(JobStatus.QUEUED)).isEqualTo(1);
    }

    @Test
    void keep_any_note() {
        store().queues().pause("a", "an\u0000na", "half \ud83d");

        assertThat(present(queue("a").pause()).by()).isEqualTo("an\ufffdna");
        assertThat(present(queue("a").pause()).note()).isEqualTo("half \ufffd");
    }

    @Test
    void have_names_that_follow_the_rule() {
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> store().queues().pause("no spaces", null, null));
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> store().queues().maxDepth("", 1));
        assertThat(store().queues().all()).isEmpty();
    }

    // Due jobs

    @Test
    void count_the_jobs_that_a_worker_could_claim_now() {
        insertAll(
                aJob(),
                aJob(),
                aJob(IMPORT),
                aJob(new DefinitionRef("report", 2)),
                aJob().queue("slow"),
                aJob().queue("unasked"),
                aJob().hold(true),
                aJob().runTime(RunAt.after(HOUR)));

        assertThat(store().queues().dueCount(List.of(QUEUE, "slow"), null)).isEqualTo(5);
        assertThat(store().queues().dueCount(List.of(QUEUE, "slow"), Set.of(REPORT)))
                .isEqualTo(3);
        assertThat(store().queues().dueCount(List.of(QUEUE), Set.of(REPORT, IMPORT)))
                .isEqualTo(3);
        assertThat(store().queues().dueCount(List.of("empty"), null)).isZero();
        claim(2);
        assertThat(store().queues().dueCount(List.of(QUEUE, "slow"), null)).isEqualTo(3);
        store().queues().pause("slow", null, null);
        assertThat(store().queues().dueCount(List.of(QUEUE, "slow"), null)).isEqualTo(2);
    }

    @Test
    void do_not_apply_limits_of_definitions_when_they_count() {
        limitRuns(1);
        insertJobs(3);

        assertThat(store().queues().dueCount(List.of(QUEUE), null)).isEqualTo(3);
    }

    @Test
    void report_how_long_until_the_next_job_is_due() {
        assertThat(store().work().untilNextDue(WorkFilter.of(List.of(QUEUE), null)))
                .isEmpty();
        insert(aJob().priority(9).runTime(RunAt.after(HOUR.multipliedBy(2))));
        insert(aJob().runTime(RunAt.after(HOUR)));
        insert(aJob().queue("other"));
        insert(aJob().hold(true));

        assertThat(store().work()
                        .untilNextDue(WorkFilter.of(List.of(QUEUE), null))
                        .orElseThrow())
                .isBetween(HOUR.minus(Duration.ofMinutes(1)), HOUR);
        advance(HOUR.plus(SECOND));
        assertThat(store().work().untilNextDue(WorkFilter.of(List.of(QUEUE), null)))
                .contains(Duration.ZERO);
    }

    @Test
    void do_not_wait_for_jobs_that_cannot_be_claimed() {
        insert(aJob(IMPORT));
        insert(aJob(REPORT).queue("paused"));
        store().queues().pause("paused", null, null);

        assertThat(store().work().untilNextDue(WorkFilter.of(List.of(QUEUE, "paused"), Set.of(REPORT))))
                .isEmpty();
    }

    private QueueStats queue(String name) {
        return named(name, store().queues().all());
    }

    private QueueStats anotherQueue(String name) {
        return named(name, anotherStore().queues().all());
    }

    private static QueueStats named(String name, List<QueueStats> queues) {
        return queues.stream()
                .filter(stats -> stats.queue().equals(name))
                .findFirst()
                .orElseThrow();
    }
}
