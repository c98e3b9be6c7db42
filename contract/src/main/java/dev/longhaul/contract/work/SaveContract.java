package dev.longhaul.contract.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.Race;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.contract.Whole;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.event.EventType;
import dev.longhaul.event.JobEvent;
import dev.longhaul.event.NewEvent;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.Limits;
import dev.longhaul.job.Progress;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.Step;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.List;
import java.util.stream.IntStream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

public abstract class SaveContract extends StoreContract {
    @Test
    void stores_progress_and_its_event() {
        Claim claim = running();
        saves(RunUpdate.progress(claim, new Progress(40, "half \"done\", nearly")));

        assertThat(look(claim.jobId()).progress()).isEqualTo(new Progress(40, "half \"done\", nearly"));
        JobEvent event = lastEvent(claim.jobId());
        assertThat(event.type()).isEqualTo(EventType.PROGRESS);
        assertThat(event.run()).isEqualTo(1);
        assertThat(event.sequence()).isZero();
        assertThat(event.payload()).isEqualTo("{\"percent\":40,\"message\":\"half \\\"done\\\", nearly\"}");
    }

    @Test
    void returns_the_last_sequence_of_a_run_while_its_claim_holds() {
        Claim first = running();
        assertThat(store().jobs().lastSequence(first)).hasValue(0);
        saves(RunUpdate.events(first, List.of(custom(3), custom(7))));
        saves(RunUpdate.events(first, List.of(custom(5))));

        assertThat(store().jobs().lastSequence(first)).hasValue(7);
        assertThat(store().jobs().lastSequence(new Claim(first.jobId(), first.run(), Claim.newKey())))
                .isEmpty();
        win(Transition.retry(first, RunAt.now(), BOOM));
        assertThat(store().jobs().lastSequence(first)).isEmpty();
        assertThat(store().jobs().lastSequence(claimNext().claim())).hasValue(0);
    }

    private static NewEvent custom(int sequence) {
        return new NewEvent(sequence, EventType.CUSTOM, null, "{}");
    }

    @Test
    void keeps_the_last_progress() {
        Claim claim = running();
        saves(RunUpdate.progress(claim, new Progress(40, "first half")));
        saves(RunUpdate.progress(claim, new Progress(60, null)));

        assertThat(look(claim.jobId()).progress()).isEqualTo(new Progress(60, null));
    }

    @Test
    void stores_steps_in_order_and_their_events() {
        Claim claim = running();
        saves(RunUpdate.step(claim, new Step("fetch", "{\"n\":1}")));
        saves(update(claim, null, List.of(new Step("zip", "2"), new Step("mail", "3"))));

        assertThat(store().work().steps(claim.jobId()))
                .containsExactly(new Step("fetch", "{\"n\":1}"), new Step("zip", "2"), new Step("mail", "3"));
        assertThat(story(claim.jobId()))
                .containsExactly(EventType.CREATED, EventType.STARTED, EventType.STEP, EventType.STEP, EventType.STEP);
        assertThat(lastEvent(claim.jobId()).payload()).isEqualTo("{\"name\":\"mail\"}");
    }

    @Test
    void keeps_one_result_per_step() {
        Claim claim = running();
        saves(RunUpdate.step(claim, new Step("fetch", "1")));
        saves(RunUpdate.step(claim, new Step("fetch", "2")));

        assertThat(store().work().steps(claim.jobId())).containsExactly(new Step("fetch", "2"));
    }

    @Test
    void keeps_steps_for_later_runs_and_after_the_end() {
        Claim first = running();
        saves(RunUpdate.step(first, new Step("fetch", "1")));
        win(Transition.retry(first, RunAt.now(), BOOM));
        Claim second = claimNext().claim();
        saves(RunUpdate.step(second, new Step("mail", "2")));
        win(Transition.succeed(second, "{}"));

        assertThat(store().work().steps(first.jobId())).containsExactly(new Step("fetch", "1"), new Step("mail", "2"));
    }

    @Test
    void stores_events_as_they_were_reported() {
        Claim claim = running();
        Instant at = now().minus(HOUR).truncatedTo(ChronoUnit.SECONDS).plusNanos(123_456_789);
        saves(events(
                claim,
                new NewEvent(1, EventType.LOG, at, "{\"line\":\"Grüße 👋\"}"),
                new NewEvent(5, EventType.CUSTOM, null, null)));

        List<JobEvent> stored = events(claim.jobId()).subList(2, 4);
        Instant kept = at.truncatedTo(ChronoUnit.MICROS);
        assertThat(stored.get(0))
                .isEqualTo(new JobEvent(claim.jobId(), 3, 1, 1, EventType.LOG, kept, "{\"line\":\"Grüße 👋\"}"));
        assertThat(stored.get(1).sequence()).isEqualTo(5);
        assertThat(stored.get(1).payload()).isNull();
        assertThat(stored.get(1).at()).isAfter(now().minusSeconds(30));
    }

    @Test
    void skips_events_that_were_stored_before() {
        Claim claim = running();
        saves(events(claim, log(1), log(2), log(3)));
        saves(events(claim, log(1), log(2), log(3)));
        saves(events(claim, log(2), log(3), log(4)));

        assertThat(events(claim.jobId()).stream().map(JobEvent::sequence)).containsExactly(0, 0, 1, 2, 3, 4);
        assertThat(story(claim.jobId())).hasSize(6);
    }

    @Test
    void stores_events_that_come_late_and_skips_only_repeats() {
        Claim claim = running();
        saves(events(claim, log(1), log(7)));
        saves(events(claim, log(3), log(6), log(8)));
        saves(events(claim, log(3), log(4), log(8), log(9)));

        assertThat(events(claim.jobId()).stream().map(JobEvent::sequence)).containsExactly(0, 0, 1, 7, 3, 6, 8, 4, 9);
        assertThat(store().jobs().lastSequence(claim)).hasValue(9);
    }

    @Test
    void keeps_the_highest_sequence_when_a_late_event_is_stored() {
        Claim claim = running();
        saves(events(claim, log(7)));
        saves(events(claim, log(6)));

        assertThat(store().jobs().lastSequence(claim)).hasValue(7);
    }

    @Test
    void counts_the_sequences_of_each_run_on_their_own() {
        Claim first = running();
        saves(events(first, log(1), log(9)));
        win(Transition.giveBack(first));
        Claim second = claimNext().claim();
        saves(events(second, log(1), log(2)));

        assertThat(events(first.jobId()).stream()
                        .filter(event -> event.type() == EventType.LOG)
                        .map(event -> event.run() + "/" + event.sequence()))
                .containsExactly("1/1", "1/9", "2/1", "2/2");
    }

    @Test
    void stores_events_of_progress_first_then_of_steps_then_reported_ones() {
        Claim claim = running();
        saves(new RunUpdate(
                claim,
                new Progress(1, null),
                List.of(new Step("a", "1"), new Step("b", "2")),
                List.of(log(1), log(2))));

        assertThat(story(claim.jobId()))
                .containsExactly(
                        EventType.CREATED,
                        EventType.STARTED,
                        EventType.PROGRESS,
                        EventType.STEP,
                        EventType.STEP,
                        EventType.LOG,
                        EventType.LOG);
    }

    @Test
    void of_nothing_is_won() {
        Claim claim = running();
        saves(update(claim, null, List.of()));

        assertThat(story(claim.jobId())).hasSize(2);
        assertThat(store().work().save(List.of())).isEmpty();
    }

    @Test
    void shows_when_the_job_was_updated_but_leaves_the_lease_alone() {
        Claim claim = running();
        Job before = look(claim.jobId());
        advance(SECOND);
        saves(RunUpdate.progress(claim, new Progress(50, null)));

        Job after = look(claim.jobId());
        assertThat(after.times().updatedAt()).isAfter(before.times().updatedAt());
        assertThat(after.lease()).isEqualTo(before.lease());
    }

    @Test
    void continues_while_the_job_is_being_cancelled() {
        Claim claim = cancelling();
        saves(update(claim, new Progress(90, "cleaning up"), List.of(new Step("undo", "1"))));

        assertThat(look(claim.jobId()).progress().percent()).isEqualTo(90);
    }

    @Test
    void continues_with_an_expired_lease_until_it_is_ended() {
        Claim claim = running();
        advance(LEASE.plus(HOUR));

        saves(RunUpdate.progress(claim, new Progress(50, null)));
    }

    // Limits

    @Test
    void takes_the_largest_step_and_event() {
        Claim claim = running();
        String largest = "\"" + "x".repeat(Limits.JSON_BYTES - 2) + "\"";
        saves(new RunUpdate(
                claim,
                null,
                List.of(new Step("big", largest)),
                List.of(new NewEvent(1, EventType.OUTPUT, null, largest))));

        assertThat(store().work().steps(claim.jobId())).containsExactly(new Step("big", largest));
        assertThat(lastEvent(claim.jobId()).payload()).isEqualTo(largest);
    }

    @Test
    void refuses_more_steps_than_a_job_may_have() {
        Claim claim = running();
        saves(update(claim, null, steps(0, Limits.STEPS - 1)));
        Whole before = whole(claim.jobId());

        Verdict verdict = save(update(claim, new Progress(99, null), steps(Limits.STEPS - 1, Limits.STEPS + 1)));

        assertThat(verdict.kind()).isEqualTo(Verdict.Kind.REFUSED);
        assertThat(verdict.reason()).contains("" + Limits.STEPS);
        assertThat(whole(claim.jobId())).isEqualTo(before);
    }

    @Test
    void still_replaces_steps_when_a_job_has_all_it_may_have() {
        Claim claim = running();
        saves(update(claim, null, steps(0, Limits.STEPS)));
        saves(RunUpdate.step(claim, new Step("step-7", "\"new\"")));

        assertThat(store().work().steps(claim.jobId())).hasSize(Limits.STEPS).contains(new Step("step-7", "\"new\""));
    }

    // Claims

    @Test
    void of_a_claim_that_does_not_hold_changes_nothing() {
        Claim claim = running();
        loses(new Claim(claim.jobId(), 1, Claim.newKey()));
        loses(new Claim(claim.jobId(), 2, claim.key()));
        win(Transition.succeed(claim, "{}"));
        loses(claim);
    }

    @Test
    void of_an_owner_whose_job_another_worker_runs_now_changes_nothing() {
        Claim first = running();
        lapse();
        loses(first);
        claimNext();
        loses(first);
    }

    @Test
    void of_an_unknown_job_is_lost() {
        assertThat(save(RunUpdate.progress(new Claim(newId(), 1, Claim.newKey()), Progress.NONE)))
                .isEqualTo(Verdict.LOST);
    }

    private void loses(Claim claim) {
        Whole before = whole(claim.jobId());
        var all = new RunUpdate(claim, new Progress(99, "stale"), List.of(new Step("stale", "1")), List.of(log(100)));

        assertThat(save(all)).isEqualTo(Verdict.LOST);

        assertThat(whole(claim.jobId())).isEqualTo(before);
    }

    @Test
    void returns_one_verdict_per_update_in_order() {
        insertJobs(4);
        List<Claim> claims = claim(4).stream().map(ClaimedJob::claim).toList();
        Claim stale = new Claim(claims.get(1).jobId(), 1, Claim.newKey());
        saves(update(claims.get(2), null, steps(0, Limits.STEPS)));

        List<Verdict> verdicts = store().work()
                .save(List.of(
                        RunUpdate.progress(claims.get(0), new Progress(10, null)),
                        RunUpdate.progress(stale, new Progress(20, null)),
                        RunUpdate.step(claims.get(2), new Step("one-too-many", "1")),
                        RunUpdate.progress(claims.get(3), new Progress(40, null))));

        assertThat(verdicts)
                .extracting(Verdict::kind)
                .containsExactly(Verdict.Kind.WON, Verdict.Kind.LOST, Verdict.Kind.REFUSED, Verdict.Kind.WON);
        assertThat(claims)
                .extracting(claim -> look(claim.jobId()).progress().percent())
                .containsExactly(10, 0, 0, 40);
    }

    @Test
    void gives_every_event_its_own_position_when_saves_race() {
        Claim claim = running();
        JobId id = claim.jobId();
        List<Verdict> verdicts = Race.of(8, i -> {
            for (int n = 0; n < 10; n++) {
                var progress = new Progress(n, "by " + i);
                storeOf(i).work().save(List.of(update(claim, progress, List.of(new Step("s" + i, "" + n)))));
            }
            return storeOf(i)
                    .work()
                    .save(List.of(update(claim, null, List.of())))
                    .get(0);
        });

        assertThat(verdicts).containsOnly(Verdict.WON);
        assertThat(story(id)).hasSize(2 + 8 * 10 * 2);
        assertThat(store().work().steps(id))
                .hasSize(8)
                .allMatch(step -> step.result().equals("9"));
    }

    @Test
    void stores_events_of_progress_and_step_once_when_a_report_is_sent_again() {
        Claim claim = running();
        RunUpdate report = update(claim, new Progress(40, "encoding"), steps(0, 2));
        saves(report);
        Whole before = whole(claim.jobId());

        saves(report);

        assertThat(whole(claim.jobId()).events()).isEqualTo(before.events());
        saves(update(claim, new Progress(41, "encoding"), List.of(new Step("step-0", "other"))));
        assertThat(whole(claim.jobId()).events()).hasSize(before.events().size() + 2);
    }

    @Test
    void rejects_two_reports_of_one_claim() {
        Claim claim = running();
        Whole before = whole(claim.jobId());
        assertRefused(
                ErrorCode.INVALID_ARGUMENT,
                () -> store().work()
                        .save(List.of(
                                RunUpdate.progress(claim, new Progress(1, null)),
                                RunUpdate.progress(claim, new Progress(2, null)))));
        assertThat(whole(claim.jobId())).isEqualTo(before);
    }

    private void saves(RunUpdate update) {
        assertThat(save(update)).isEqualTo(Verdict.WON);
    }

    private static RunUpdate update(Claim claim, @Nullable Progress progress, List<Step> steps) {
        return new RunUpdate(claim, progress, steps, List.of());
    }

    private static RunUpdate events(Claim claim, NewEvent... events) {
        return RunUpdate.events(claim, Arrays.asList(events));
    }

    private static NewEvent log(int sequence) {
        return new NewEvent(sequence, EventType.LOG, null, "{\"line\":" + sequence + "}");
    }

    private static List<Step> steps(int from, int to) {
        return IntStream.range(from, to)
                .mapToObj(i -> new Step("step-" + i, "" + i))
                .toList();
    }
}
