package dev.longhaul.contract.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobQuery;
import dev.longhaul.JobQuery.Order;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Limits;
import dev.longhaul.job.RunAt;
import dev.longhaul.spi.JobPage;
import dev.longhaul.work.Transition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

public abstract class ListContract extends StoreContract {
    @Test
    void of_an_empty_store_is_empty() {
        assertThat(store().jobs().list(JobQuery.ALL)).isEqualTo(new JobPage(List.of(), null));
    }

    @Test
    void begins_with_the_newest_or_with_the_oldest() {
        List<JobId> oldestFirst = insertJobs(5);
        var newestFirst = new ArrayList<>(oldestFirst);
        Collections.reverse(newestFirst);

        assertThat(listed(JobQuery.where())).isEqualTo(newestFirst);
        assertThat(listed(JobQuery.where().order(Order.OLDEST))).isEqualTo(oldestFirst);
    }

    @Test
    void shows_jobs_as_find_does() {
        insertJobs(3);
        win(Transition.succeed(claimNext().claim(), "{\"n\":1}"));
        claimNext();

        assertThat(store().jobs().list(JobQuery.ALL).jobs())
                .hasSize(3)
                .allSatisfy(job -> assertThat(job).isEqualTo(look(job.id())));
    }

    @Test
    void mixes_live_and_finished_jobs_by_their_ids() {
        List<JobId> ids = insertJobs(6);
        for (int i = 0; i < ids.size(); i += 2) {
            cancel(ids.get(i));
        }

        assertThat(listed(JobQuery.where().order(Order.OLDEST))).isEqualTo(ids);
    }

    // Size

    @Test
    void omits_large_parts_on_request() {
        insertJobs(2);
        win(Transition.succeed(claimNext().claim(), "{\"n\":1}"));
        win(Transition.fail(claimNext().claim(), new Failure(Failure.EXCEPTION, "boom", "type", "stack")));

        assertThat(store().jobs().list(JobQuery.where().brief(true).build()).jobs())
                .hasSize(2)
                .allSatisfy(job -> assertThat(job).isEqualTo(look(job.id()).brief()));
    }

    @ParameterizedTest
    @EnumSource
    void ends_a_page_of_large_jobs_early_and_continues_with_its_cursor(Order order) {
        String large = "\"" + "x".repeat(Limits.JSON_BYTES - 2) + "\"";
        var ids = new ArrayList<JobId>();
        for (int i = 0; i < 6; i++) {
            ids.add(insert(JobSpec.of(REPORT, large)).id());
            win(Transition.succeed(claimNext().claim(), large));
        }
        if (order == Order.NEWEST) {
            Collections.reverse(ids);
        }

        var query = JobQuery.where().limit(Limits.PAGE).order(order);
        JobPage first = store().jobs().list(query.build());
        assertThat(first.jobs()).extracting(Job::id).isEqualTo(ids.subList(0, 4));
        JobPage second = store().jobs().list(query.cursor(first.nextCursor()).build());
        assertThat(second.jobs()).extracting(Job::id).isEqualTo(ids.subList(4, 6));
        assertThat(second.nextCursor()).isNull();
        assertThat(store().jobs().list(query.cursor(null).brief(true).build()).jobs())
                .hasSize(6);
    }

    @Test
    void counts_large_jobs_beyond_a_page() {
        String large = "\"" + "x".repeat(Limits.JSON_BYTES - 2) + "\"";
        for (int i = 0; i < 10; i++) {
            insert(JobSpec.of(REPORT, large));
        }

        assertThat(store().jobs().count(JobQuery.ALL).counts()).containsEntry(JobStatus.QUEUED, 10L);
    }

    // Filters

    @ParameterizedTest
    @EnumSource
    void by_status_shows_that_status_only(JobStatus status) {
        Map<JobStatus, JobId> jobs = oneOfEach();

        assertThat(listed(JobQuery.where().statuses(status))).containsExactly(jobs.get(status));
    }

    @Test
    void by_several_statuses_shows_each_of_them() {
        Map<JobStatus, JobId> jobs = oneOfEach();

        assertThat(listed(JobQuery.where().statuses(JobStatus.QUEUED, JobStatus.FAILED, JobStatus.RUNNING)))
                .containsExactlyInAnyOrder(
                        jobs.get(JobStatus.QUEUED), jobs.get(JobStatus.FAILED), jobs.get(JobStatus.RUNNING));
    }

    @Test
    void by_definition_shows_all_its_versions() {
        JobId first = insert(aJob(new DefinitionRef("report", 1))).id();
        JobId second = insert(aJob(new DefinitionRef("report", 2))).id();
        insert(aJob(new DefinitionRef("report2", 1)));

        assertThat(listed(JobQuery.where().definitionKey("report"))).containsExactly(second, first);
    }

    @Test
    void by_queue_correlation_and_creator_compares_exactly() {
        JobId queue = insert(aJob().queue("slow")).id();
        JobId correlation = insert(aJob().correlationId("order-1")).id();
        JobId creator = insert(aJob().createdBy("anna")).id();
        insert(aJob().queue("slow2").correlationId("order-12").createdBy("Anna"));

        assertThat(listed(JobQuery.where().queue("slow"))).containsExactly(queue);
        assertThat(listed(JobQuery.where().correlationId("order-1"))).containsExactly(correlation);
        assertThat(listed(JobQuery.where().createdBy("anna"))).containsExactly(creator);
    }

    @Test
    void by_labels_shows_jobs_that_have_all_of_them() {
        JobId both =
                insert(aJob().labels(Map.of("a", "1", "b", "2", "c", "x=y"))).id();
        JobId one = insert(aJob().labels(Map.of("a", "1"))).id();
        insert(aJob());

        assertThat(listed(JobQuery.where().labels(Map.of("a", "1")))).containsExactly(one, both);
        assertThat(listed(JobQuery.where().labels(Map.of("b", "2", "a", "1")))).containsExactly(both);
        assertThat(listed(JobQuery.where().labels(Map.of("c", "x=y")))).containsExactly(both);
        assertThat(listed(JobQuery.where().labels(Map.of("a", "2")))).isEmpty();
    }

    @Test
    void by_name_prefix_treats_every_character_literally() {
        JobId percent = insert(aJob().name("100% done")).id();
        JobId underscore = insert(aJob().name("a_b")).id();
        JobId backslash = insert(aJob().name("a\\b")).id();
        JobId plain = insert(aJob().name("axb")).id();
        JobId upper = insert(aJob().name("Axb")).id();
        insert(aJob());

        assertThat(listed(JobQuery.where().namePrefix("100%"))).containsExactly(percent);
        assertThat(listed(JobQuery.where().namePrefix("%"))).isEmpty();
        assertThat(listed(JobQuery.where().namePrefix("a_"))).containsExactly(underscore);
        assertThat(listed(JobQuery.where().namePrefix("a\\"))).containsExactly(backslash);
        assertThat(listed(JobQuery.where().namePrefix("a"))).containsExactly(plain, backslash, underscore);
        assertThat(listed(JobQuery.where().namePrefix("Axb"))).containsExactly(upper);
        assertThat(listed(JobQuery.where().namePrefix("axbc"))).isEmpty();
    }

    @Test
    void by_time_includes_the_lower_and_excludes_the_upper_bound() {
        insertJobs(1);
        advance(HOUR);
        Instant after = now();
        List<JobId> between = insertJobs(2);
        advance(HOUR);
        Instant before = now();
        List<JobId> later = insertJobs(1);

        assertThat(listed(
                        JobQuery.where().order(Order.OLDEST).createdAfter(after).createdBefore(before)))
                .isEqualTo(between);
        assertThat(listed(JobQuery.where().createdAfter(before))).isEqualTo(later);
        assertThat(listed(JobQuery.where().createdAfter(before.plus(HOUR)))).isEmpty();
    }

    @Test
    void by_finish_time_shows_jobs_that_ended_then_whenever_they_were_created() {
        List<JobId> ids = insertJobs(4);
        cancel(ids.get(0));
        advance(HOUR);
        Instant after = now();
        cancel(ids.get(1));
        JobId younger = insertJobs(1).get(0);
        cancel(younger);
        advance(HOUR);
        Instant before = now();
        cancel(ids.get(2));

        assertThat(listed(JobQuery.where().finishedAfter(after).finishedBefore(before)))
                .containsExactly(younger, ids.get(1));
        assertThat(listed(JobQuery.where().finishedAfter(before))).containsExactly(ids.get(2));
        assertThat(listed(JobQuery.where().finishedBefore(after))).containsExactly(ids.get(0));
        assertThat(listed(JobQuery.where().finishedAfter(after).createdAfter(after)))
                .containsExactly(younger);
        assertThat(store().jobs()
                        .count(JobQuery.where().finishedAfter(after).build())
                        .counts()
                        .get(JobStatus.CANCELLED))
                .isEqualTo(3);
        assertThat(listed(JobQuery.where().finishedAfter(Instant.MIN).finishedBefore(Instant.MAX)))
                .as("jobs that have not ended")
                .doesNotContain(ids.get(3));
    }

    @Test
    void by_time_accepts_any_time() {
        List<JobId> ids = insertJobs(1);

        assertThat(listed(JobQuery.where().createdAfter(Instant.MIN).createdBefore(Instant.MAX)))
                .isEqualTo(ids);
        assertThat(listed(JobQuery.where().createdAfter(Instant.MAX))).isEmpty();
        assertThat(listed(JobQuery.where().createdBefore(Instant.MIN))).isEmpty();
    }

    @Test
    void combines_all_filters() {
        JobId wanted =
                insert(aJob().queue("slow").name("one").createdBy("anna")).id();
        insert(aJob().queue("slow").name("one").createdBy("bert"));
        insert(aJob().queue("fast").name("one").createdBy("anna"));
        insert(aJob().queue("slow").name("two").createdBy("anna"));

        assertThat(listed(JobQuery.where()
                        .queue("slow")
                        .namePrefix("on")
                        .createdBy("anna")
                        .definitionKey("report")
                        .statuses(JobStatus.QUEUED)))
                .containsExactly(wanted);
    }

    @Test
    void by_text_that_cannot_be_stored_is_rejected() {
        assertRefused(
                ErrorCode.INVALID_ARGUMENT,
                () -> store().jobs().list(JobQuery.where().namePrefix("a\u0000").build()));
    }

    // Pages

    @ParameterizedTest
    @EnumSource
    void shows_each_job_once_over_its_pages(Order order) {
        List<JobId> all = insertJobs(25);
        idsOf(claim(9)).forEach(this::cancel);

        List<JobId> paged = walk(JobQuery.where().order(order).limit(4), () -> {});

        assertThat(paged).containsExactlyInAnyOrderElementsOf(all);
        assertThat(paged).isEqualTo(listed(JobQuery.where().order(order)));
    }

    @Test
    void has_a_next_page_only_when_something_is_on_it() {
        List<JobId> ids = insertJobs(6);
        insert(aJob().queue("other"));
        JobQuery.Builder query = JobQuery.where().queue(QUEUE).order(Order.OLDEST);

        assertThat(store().jobs().list(query.limit(6).build()).nextCursor()).isNull();
        assertThat(store().jobs().list(query.limit(7).build()).nextCursor()).isNull();
        assertThat(store().jobs().list(query.limit(5).build()).nextCursor()).isEqualTo(ids.get(4));
    }

    @Test
    void filters_over_pages() {
        var wanted = new ArrayList<JobId>();
        for (int i = 0; i < 30; i++) {
            JobId id = insert(aJob().queue(i % 3 == 0 ? "slow" : QUEUE)).id();
            if (i % 3 == 0) {
                wanted.add(id);
            }
        }

        assertThat(walk(JobQuery.where().queue("slow").order(Order.OLDEST).limit(3), () -> {}))
                .isEqualTo(wanted);
    }

    @ParameterizedTest
    @EnumSource
    void loses_and_repeats_nothing_while_jobs_are_added_and_end(Order order) {
        List<JobId> first = insertJobs(20);

        List<JobId> paged = walk(JobQuery.where().order(order).limit(3), () -> {
            insertJobs(1);
            claim(1).forEach(claimed -> win(Transition.succeed(claimed.claim(), "{}")));
        });

        assertThat(paged).doesNotHaveDuplicates().containsAll(first);
    }

    /** Returns all ids of all pages; runs {@code meanwhile} after each of the first ten pages. */
    private List<JobId> walk(JobQuery.Builder query, Runnable meanwhile) {
        var ids = new ArrayList<JobId>();
        JobPage page = store().jobs().list(query.build());
        for (int pages = 0; ; pages++) {
            page.jobs().stream().map(Job::id).forEach(ids::add);
            if (page.nextCursor() == null) {
                return ids;
            }
            if (pages < 10) {
                meanwhile.run();
            }
            page = store().jobs().list(query.cursor(page.nextCursor()).build());
        }
    }

    private List<JobId> listed(JobQuery.Builder query) {
        JobPage page = store().jobs().list(query.build());
        assertThat(page.nextCursor()).isNull();
        return page.jobs().stream().map(Job::id).toList();
    }

    @Test
    void by_status_follows_the_clock() {
        JobId id = insert(aJob().runTime(RunAt.after(HOUR))).id();
        assertThat(listed(JobQuery.where().statuses(JobStatus.SCHEDULED))).containsExactly(id);
        advance(HOUR.plus(SECOND));

        assertThat(listed(JobQuery.where().statuses(JobStatus.SCHEDULED))).isEmpty();
        assertThat(listed(JobQuery.where().statuses(JobStatus.QUEUED))).containsExactly(id);
    }
}
