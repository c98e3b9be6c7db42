package dev.longhaul.contract.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.tuple;

import dev.longhaul.contract.Race;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.event.NewEvent;
import dev.longhaul.job.Claim;
import dev.longhaul.job.JobId;
import dev.longhaul.job.Limits;
import dev.longhaul.job.Progress;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.Step;
import dev.longhaul.spi.PageBytes;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

/** Tests reading the events of a job. */
public abstract class EventContract extends StoreContract {
    @Test
    void contains_a_whole_lifecycle_in_order() {
        JobId id = insert(aJob().hold(true)).id();
        release(id, "anna");
        Claim first = claimNext().claim();
        save(RunUpdate.progress(first, new Progress(10, null)));
        win(Transition.retry(first, RunAt.now(), BOOM));
        win(Transition.snooze(claimNext().claim(), RunAt.now()));
        win(Transition.giveBack(claimNext().claim()));
        claimNext();
        lapse();
        Claim last = claimNext().claim();
        save(RunUpdate.step(last, new Step("mail", "1")));
        win(Transition.succeed(last, "{}"));

        assertThat(eventsByRun(id))
                .containsExactly(
                        "0 created",
                        "0 released",
                        "1 started",
                        "1 progress",
                        "1 retrying",
                        "2 started",
                        "2 snoozed",
                        "3 started",
                        "3 released",
                        "4 started",
                        "4 lost",
                        "5 started",
                        "5 step",
                        "5 succeeded");
        assertThat(story(id)).hasSize(14);
    }

    @Test
    void contains_a_second_lifecycle_too() {
        JobId id = insert(aJob().maxAttempts(1)).id();
        claimNext();
        lapse();
        retry(id, null);
        Claim second = claimNext().claim();
        cancel(id);
        win(Transition.cancelled(second));
        retry(id, null);
        cancel(id);

        assertThat(eventsByRun(id))
                .containsExactly(
                        "0 created",
                        "1 started",
                        "1 lost",
                        "1 failed",
                        "0 retried",
                        "2 started",
                        "0 cancel_requested",
                        "2 cancelled",
                        "0 retried",
                        "0 cancelled");
        assertThat(story(id)).hasSize(10);
    }

    private List<String> eventsByRun(JobId id) {
        return events(id).stream()
                .map(event -> event.run() + " " + event.type().wireName())
                .toList();
    }

    @Test
    void contains_the_time_of_each_event() {
        Instant before = now();
        JobId id = insert(aJob()).id();
        advance(HOUR);
        Claim claim = claimNext().claim();
        advance(HOUR);
        win(Transition.succeed(claim, "{}"));

        List<Instant> times = events(id).stream().map(JobEvent::at).toList();
        assertThat(times.get(0)).isEqualTo(look(id).times().createdAt()).isAfterOrEqualTo(before);
        assertThat(times.get(1)).isEqualTo(look(id).times().startedAt());
        assertThat(times.get(2)).isEqualTo(look(id).times().finishedAt());
    }

    @Test
    void resumes_after_a_position() {
        JobId id = talkative();
        List<JobEvent> all = events(id);

        for (int position = 0; position <= all.size(); position++) {
            assertThat(store().jobs().events(EventQuery.of(id).after(position)))
                    .isEqualTo(all.subList(position, all.size()));
        }
    }

    @Test
    void comes_in_pages() {
        JobId id = talkative();
        var read = new ArrayList<JobEvent>();
        List<JobEvent> page = store().jobs().events(EventQuery.of(id).limit(3));
        while (!page.isEmpty()) {
            assertThat(page).hasSizeLessThanOrEqualTo(3);
            read.addAll(page);
            int last = page.get(page.size() - 1).position();
            page = store().jobs().events(EventQuery.of(id).after(last).limit(3));
        }

        assertThat(read).isEqualTo(events(id));
    }

    @Test
    void ends_a_page_of_large_events_early() {
        Claim claim = running();
        String large = "\"" + "x".repeat(Limits.JSON_BYTES - 2) + "\"";
        for (int sequence = 1; sequence <= 12; sequence++) {
            NewEvent event = new NewEvent(sequence, EventType.CUSTOM, now(), large);
            save(RunUpdate.events(claim, List.of(event)));
        }

        var query = EventQuery.of(claim.jobId()).types(EventType.CUSTOM);
        List<JobEvent> first = store().jobs().events(query);
        assertThat(first).extracting(JobEvent::sequence).containsExactly(1, 2, 3, 4, 5, 6, 7, 8);
        assertThat(PageBytes.mayHaveMore(query, first)).isTrue();
        List<JobEvent> second = store().jobs().events(query.after(first.get(7).position()));
        assertThat(second).extracting(JobEvent::sequence).containsExactly(9, 10, 11, 12);
        assertThat(PageBytes.mayHaveMore(query, second)).isFalse();
    }

    @Test
    void can_be_filtered_by_type() {
        JobId id = talkative();

        assertThat(store().jobs().events(EventQuery.of(id).types(EventType.LOG, EventType.SUCCEEDED)))
                .extracting(JobEvent::type)
                .containsExactly(
                        EventType.LOG, EventType.LOG, EventType.LOG, EventType.LOG, EventType.LOG, EventType.SUCCEEDED);
        assertThat(store().jobs().events(EventQuery.of(id).types(EventType.STARTED)))
                .extracting(JobEvent::run)
                .containsExactly(1, 2);
    }

    @Test
    void begins_at_a_sequence_of_a_run() {
        JobId id = talkative();

        assertThat(store().jobs().events(EventQuery.of(id).fromSequence(1, 2)))
                .extracting(JobEvent::sequence)
                .containsExactly(2, 3);
        assertThat(store().jobs().events(EventQuery.of(id).fromSequence(2, 0)))
                .allMatch(event -> event.run() == 2)
                .extracting(JobEvent::type)
                .containsExactly(EventType.STARTED, EventType.LOG, EventType.LOG, EventType.SUCCEEDED);
    }

    @Test
    void begins_at_a_time() {
        JobId id = insert(aJob()).id();
        advance(HOUR);
        Instant later = now();
        win(Transition.succeed(claimNext().claim(), "{}"));

        assertThat(store().jobs().events(EventQuery.of(id).from(later)))
                .extracting(JobEvent::type)
                .containsExactly(EventType.STARTED, EventType.SUCCEEDED);
        assertThat(store().jobs().events(EventQuery.of(id).from(later.plus(HOUR))))
                .isEmpty();
    }

    @Test
    void combines_all_conditions() {
        JobId id = talkative();
        EventQuery query = EventQuery.of(id)
                .fromSequence(1, 1)
                .types(EventType.LOG)
                .after(4)
                .from(now().minus(HOUR.multipliedBy(2)))
                .limit(1);

        assertThat(store().jobs().events(query))
                .extracting(JobEvent::run, JobEvent::sequence)
                .containsExactly(tuple(1, 3));
    }

    @Test
    void of_one_job_are_not_those_of_another() {
        JobId one = talkative();
        JobId other = insert(aJob()).id();

        assertThat(events(other)).hasSize(1);
        assertThat(events(one)).allMatch(event -> event.jobId().equals(one));
    }

    @Test
    void are_all_seen_by_a_reader_that_polls_while_they_are_written() {
        Claim claim = running();
        JobId id = claim.jobId();
        int writers = 3;
        List<List<JobEvent>> seen = Race.of(writers + 2, i -> {
            if (i == 0) {
                return follow(id);
            }
            if (i == 1) {
                IntStream.rangeClosed(1, 40).forEach(n -> store().work().save(List.of(logs(claim, n, n))));
                return List.of();
            }
            for (int n = 0; n < 20; n++) {
                storeOf(i).work().save(List.of(RunUpdate.progress(claim, new Progress(n, "writer " + i))));
            }
            return List.of();
        });

        assertThat(seen.get(0)).isEqualTo(events(id).subList(0, seen.get(0).size()));
        assertThat(seen.get(0)).hasSize(2 + 40 + 20 * writers);
        story(id);
    }

    /** Polls from the last position until all events of the racing writers have arrived. */
    private List<JobEvent> follow(JobId id) {
        var seen = new ArrayList<JobEvent>();
        while (seen.size() < 2 + 40 + 20 * 3) {
            int last = seen.isEmpty() ? 0 : seen.get(seen.size() - 1).position();
            seen.addAll(anotherStore().jobs().events(EventQuery.of(id).after(last)));
        }
        return seen;
    }

    /** Creates a job with two runs: the first wrote the log lines 1 to 3, the second 1 and 2. */
    private JobId talkative() {
        Claim first = running();
        save(logs(first, 1, 3));
        win(Transition.giveBack(first));
        Claim second = claimNext().claim();
        save(logs(second, 1, 2));
        win(Transition.succeed(second, "{}"));
        return first.jobId();
    }

    private static RunUpdate logs(Claim claim, int from, int to) {
        return RunUpdate.events(
                claim,
                IntStream.rangeClosed(from, to)
                        .mapToObj(n -> new NewEvent(n, EventType.LOG, null, "{\"n\":" + n + "}"))
                        .toList());
    }
}
