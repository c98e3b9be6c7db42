package dev.longhaul.contract;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobState;
import dev.longhaul.job.Limits;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.Step;
import dev.longhaul.job.Tally;
import dev.longhaul.spi.Signal;
import dev.longhaul.spi.Subscription;
import dev.longhaul.spi.WorkSource;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.LeaseRenewal;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import dev.longhaul.work.Verdict;
import dev.longhaul.work.WorkFilter;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** The contract of {@link WorkSource}. It uses only that port, so it can test a source of work that has no store. */
public abstract class WorkSourceContract {
    private static final DefinitionRef REPORT = new DefinitionRef("report", 1);
    private static final String QUEUE = JobSpec.DEFAULT_QUEUE;
    private static final Duration LEASE = Duration.ofMinutes(1);
    private static final Duration HOUR = Duration.ofHours(1);
    private static final Failure BOOM = Failure.of(Failure.EXCEPTION, "boom");

    private @Nullable WorkFixture opened;

    /** Opens an empty source. Called before each test; the source is closed after the test. */
    protected abstract WorkFixture newFixture();

    @BeforeEach
    final void openSource() {
        opened = newFixture();
    }

    @AfterEach
    final void closeSource() {
        if (opened != null) {
            opened.close();
        }
    }

    private WorkFixture fixture() {
        return Objects.requireNonNull(opened);
    }

    private WorkSource source() {
        return fixture().source();
    }

    private static JobSpec.Builder aJob() {
        return JobSpec.of(REPORT, "{}");
    }

    private JobId add(JobSpec.Builder builder) {
        JobSpec spec = builder.build();
        fixture().add(List.of(spec));
        return spec.id();
    }

    private static ClaimRequest request(int max) {
        return ClaimRequest.of("worker-1", List.of(QUEUE), null, max, LEASE);
    }

    private List<JobId> claimedIds(ClaimRequest request) {
        return source().claim(request).stream().map(one -> one.job().id()).toList();
    }

    private ClaimedJob claimOnly() {
        List<ClaimedJob> claimed = source().claim(request(10));
        assertThat(claimed).hasSize(1);
        return claimed.get(0);
    }

    private ClaimedJob running() {
        JobId id = add(aJob());
        ClaimedJob claimed = claimOnly();
        assertThat(claimed.job().id()).isEqualTo(id);
        return claimed;
    }

    private Verdict apply(Transition transition) {
        return source().apply(List.of(transition)).get(0);
    }

    private void win(Transition transition) {
        Verdict verdict = apply(transition);
        assertThat(verdict.won()).as("%s of %s", verdict, transition).isTrue();
    }

    /** Returns invalid claims: with another key, with another run, and of an unknown job. */
    private static List<Claim> forged(Claim claim) {
        return List.of(
                new Claim(claim.jobId(), claim.run(), Claim.newKey()),
                new Claim(claim.jobId(), claim.run() + 1, claim.key()),
                new Claim(aJob().build().id(), 1, claim.key()));
    }

    // Claims

    @Test
    void a_claim_starts_a_run_under_the_key_of_its_request() {
        JobId id = add(aJob());
        ClaimRequest request = request(1);
        ClaimedJob claimed = source().claim(request).get(0);
        assertThat(claimed.claim()).isEqualTo(new Claim(id, 1, request.batch()));
        assertThat(claimed.job().tally()).isEqualTo(new Tally(1, 1, 0));
        assertThat(Objects.requireNonNull(claimed.job().lease()).workerId()).isEqualTo("worker-1");
    }

    @Test
    void a_claim_takes_the_highest_priority_then_the_earliest_run_time() {
        JobId second = add(aJob());
        fixture().advance(Duration.ofSeconds(1));
        JobId third = add(aJob());
        JobId first = add(aJob().priority(5));
        assertThat(claimedIds(request(1))).containsExactly(first);
        assertThat(claimedIds(request(2))).containsExactly(second, third);
    }

    @Test
    void a_claim_takes_no_more_than_requested_and_nothing_twice() {
        JobId first = add(aJob());
        JobId second = add(aJob());
        List<JobId> claimed = new ArrayList<>(claimedIds(request(1)));
        assertThat(claimed).hasSize(1);
        claimed.addAll(claimedIds(request(10)));
        assertThat(claimed).containsExactlyInAnyOrder(first, second);
        assertThat(claimedIds(request(10))).isEmpty();
    }

    @Test
    void a_claim_takes_jobs_of_the_requested_queues_and_definitions_only() {
        JobId here = add(aJob());
        add(aJob().queue("elsewhere"));
        add(JobSpec.of(new DefinitionRef("report", 2), "{}"));
        assertThat(claimedIds(ClaimRequest.of("worker-1", List.of(QUEUE), Set.of(REPORT), 10, LEASE)))
                .containsExactly(here);
        assertThat(source().claim(ClaimRequest.of("worker-1", List.of("elsewhere"), null, 10, LEASE)))
                .hasSize(1);
    }

    @Test
    void a_job_is_claimed_at_its_run_time_and_not_before() {
        WorkFilter filter = WorkFilter.of(List.of(QUEUE), null);
        assertThat(source().untilNextDue(filter)).isEmpty();
        JobId later = add(aJob().runTime(RunAt.after(HOUR)));
        assertThat(claimedIds(request(10))).isEmpty();
        assertThat(source().untilNextDue(filter).orElseThrow()).isBetween(HOUR.minus(Duration.ofMinutes(5)), HOUR);
        fixture().advance(HOUR);
        assertThat(source().untilNextDue(filter)).contains(Duration.ZERO);
        assertThat(claimedIds(request(10))).containsExactly(later);
        assertThat(source().untilNextDue(filter)).isEmpty();
    }

    @Test
    void a_claim_is_read_again_by_its_key_while_it_holds() {
        add(aJob());
        add(aJob());
        ClaimRequest request = request(2);
        List<ClaimedJob> claimed = source().claim(request);
        assertThat(claimOf(source().claimed(request.batch()))).containsExactlyInAnyOrderElementsOf(claimOf(claimed));
        win(Transition.succeed(claimed.get(0).claim(), "{}"));
        assertThat(claimOf(source().claimed(request.batch())))
                .containsExactly(claimed.get(1).claim());
        assertThat(source().claimed(Claim.newKey())).isEmpty();
    }

    private static List<Claim> claimOf(List<ClaimedJob> claimed) {
        return claimed.stream().map(ClaimedJob::claim).toList();
    }

    @Test
    void each_job_goes_to_one_claimer() {
        int jobs = 60;
        fixture().add(Stream.generate(() -> aJob().build()).limit(jobs).toList());
        var claimers = List.of(source(), fixture().another());
        List<List<JobId>> claimed = Race.of(6, number -> {
            var own = new ArrayList<JobId>();
            WorkSource mine = claimers.get(number % 2);
            while (mine.untilNextDue(WorkFilter.of(List.of(QUEUE), null)).isPresent()) {
                mine.claim(request(7)).forEach(one -> own.add(one.job().id()));
            }
            return own;
        });
        List<JobId> all = claimed.stream().flatMap(List::stream).toList();
        assertThat(all).hasSize(jobs).doesNotHaveDuplicates();
    }

    @Test
    void a_run_whose_begin_must_be_stored_first_is_marked() {
        add(aJob().maxAttempts(1));
        ClaimedJob single = source().claim(request(1).beginning(ClaimRequest.Begin.ORDINARY))
                .get(0);
        assertThat(single.begin()).isEqualTo(ClaimedJob.Begin.FIRST);
        var begins = new ArrayList<>(forged(single.claim()));
        begins.add(single.claim());
        assertThat(source().begin(begins)).containsExactly(Verdict.LOST, Verdict.LOST, Verdict.LOST, Verdict.WON);
    }

    // Leases and reports

    @Test
    void a_lease_is_extended_for_its_holder_only() {
        Claim claim = running().claim();
        var claims = new ArrayList<>(forged(claim));
        claims.add(0, claim);
        List<LeaseRenewal> results = source().extend(claims, LEASE);
        assertThat(results).extracting(LeaseRenewal::claim).containsExactlyElementsOf(claims);
        assertThat(results).extracting(LeaseRenewal::held).containsExactly(true, false, false, false);
    }

    @Test
    void a_requested_cancel_comes_with_the_lease() {
        Claim claim = running().claim();
        assertThat(source().extend(List.of(claim), LEASE).get(0).cancelRequest())
                .isNull();
        fixture().cancel(claim.jobId());
        assertThat(source().extend(List.of(claim), LEASE).get(0).cancelRequest())
                .isNotNull();
        win(Transition.cancelled(claim));
        assertThat(claimedIds(request(1))).isEmpty();
    }

    @Test
    void steps_are_kept_for_the_next_run_each_under_its_name() {
        Claim claim = running().claim();
        assertThat(source().save(List.of(
                        new RunUpdate(claim, null, List.of(new Step("load", "1"), new Step("send", "2")), List.of()))))
                .containsExactly(Verdict.WON);
        assertThat(source().save(List.of(RunUpdate.step(claim, new Step("load", "3")))))
                .containsExactly(Verdict.WON);
        win(Transition.retry(claim, RunAt.now(), BOOM));
        claimOnly();
        assertThat(source().steps(claim.jobId()))
                .containsExactlyInAnyOrder(new Step("load", "3"), new Step("send", "2"));
    }

    @Test
    void a_report_of_a_claim_that_does_not_hold_is_lost() {
        Claim claim = running().claim();
        for (Claim forged : forged(claim)) {
            assertThat(source().save(List.of(RunUpdate.step(forged, new Step("load", "1")))))
                    .containsExactly(Verdict.LOST);
        }
        assertThat(source().steps(claim.jobId())).isEmpty();
    }

    // Ends

    @Test
    void an_end_by_a_claim_that_does_not_hold_is_lost() {
        Claim claim = running().claim();
        for (Claim forged : forged(claim)) {
            assertThat(apply(Transition.succeed(forged, "{}"))).isEqualTo(Verdict.LOST);
        }
        win(Transition.succeed(claim, "{}"));
    }

    @Test
    void a_job_that_has_just_ended_here_is_found() {
        ClaimedJob ended = running();
        win(Transition.succeed(ended.claim(), "{\"sum\": 3}"));
        Job found = source().find(ended.job().id()).orElseThrow();
        assertThat(found.state()).isEqualTo(JobState.SUCCEEDED);
        assertThat(found.result()).isEqualTo("{\"sum\": 3}");
        assertThat(source().find(aJob().build().id())).isEmpty();
    }

    @Test
    void the_same_end_again_is_won_and_another_one_is_lost() {
        Claim claim = running().claim();
        Transition succeed = Transition.succeed(claim, "{}");
        win(succeed);
        win(succeed);
        assertThat(apply(Transition.fail(claim, BOOM))).isEqualTo(Verdict.LOST);
        assertThat(claimedIds(request(1))).isEmpty();
    }

    @Test
    void verdicts_come_in_the_order_of_the_transitions() {
        Claim first = running().claim();
        Claim second = running().claim();
        List<Verdict> verdicts = source().apply(List.of(
                Transition.succeed(forged(first).get(0), "{}"),
                Transition.succeed(second, "{}"),
                Transition.fail(first, BOOM)));
        assertThat(verdicts)
                .extracting(Verdict::kind)
                .containsExactly(Verdict.Kind.LOST, Verdict.Kind.WON, Verdict.Kind.WON);
    }

    @Test
    void a_retry_spends_the_attempt_and_waits() {
        Claim claim = running().claim();
        win(Transition.retry(claim, RunAt.after(HOUR), BOOM));
        assertThat(claimedIds(request(1))).isEmpty();
        fixture().advance(HOUR);
        ClaimedJob next = claimOnly();
        assertThat(next.claim().run()).isEqualTo(2);
        assertThat(next.job().tally()).isEqualTo(new Tally(2, 2, 0));
    }

    @Test
    void a_retry_without_attempts_left_ends_the_job() {
        add(aJob().maxAttempts(1));
        win(Transition.retry(claimOnly().claim(), RunAt.now(), BOOM));
        assertThat(claimedIds(request(1))).isEmpty();
    }

    @Test
    void a_snooze_and_a_give_back_return_the_attempt() {
        Claim first = running().claim();
        win(Transition.snooze(first, RunAt.now()));
        Claim second = claimOnly().claim();
        win(Transition.giveBack(second));
        assertThat(claimOnly().job().tally()).isEqualTo(new Tally(3, 1, 0));
    }

    @Test
    void a_job_on_its_last_life_is_claimed_on_request_only() {
        JobId id = add(aJob().maxAttempts(100));
        for (int crash = 1; crash < Limits.CRASHES; crash++) {
            win(Transition.crashed(claimOnly().claim(), BOOM));
        }
        WorkFilter filter = WorkFilter.of(List.of(QUEUE), null);
        assertThat(claimedIds(request(10))).isEmpty();
        assertThat(source().untilNextDue(filter)).isEmpty();
        assertThat(source().untilNextDue(filter.forLastLife())).contains(Duration.ZERO);
        assertThat(claimedIds(request(10).forLastLife())).containsExactly(id);
    }

    @Test
    void of_ends_that_race_one_wins() {
        Claim claim = running().claim();
        var sources = List.of(source(), fixture().another());
        List<Boolean> won = Race.of(6, number -> {
            Transition end = number % 2 == 0 ? Transition.succeed(claim, "{}") : Transition.fail(claim, BOOM);
            return sources.get(number / 2 % 2).apply(List.of(end)).get(0).won();
        });
        // A repeated end returns the verdict won, too.
        assertThat(won)
                .isIn(List.of(true, false, true, false, true, false), List.of(false, true, false, true, false, true));
    }

    @Test
    void a_result_that_cannot_be_stored_is_rejected_and_affects_no_other() {
        Claim good = running().claim();
        Claim bad = running().claim();
        List<Verdict> verdicts =
                source().apply(List.of(Transition.succeed(bad, "\"\0\""), Transition.succeed(good, "{}")));
        assertThat(verdicts).extracting(Verdict::kind).containsExactly(Verdict.Kind.REFUSED, Verdict.Kind.WON);
        win(Transition.fail(bad, BOOM));
    }

    // Signals

    @Test
    void signals_announce_work_and_cancels_until_the_subscription_is_closed() throws InterruptedException {
        var heard = new LinkedBlockingQueue<Signal>();
        Subscription subscription = source().listen(heard::add);
        Claim claim = running().claim();
        await(heard, new Signal(Signal.Kind.WORK, QUEUE));
        win(Transition.giveBack(claim));
        await(heard, new Signal(Signal.Kind.WORK, QUEUE));
        Claim again = claimOnly().claim();
        fixture().cancel(again.jobId());
        await(heard, new Signal(Signal.Kind.CANCEL, again.jobId().toString()));
        subscription.close();
        subscription.close();
    }

    private static void await(LinkedBlockingQueue<Signal> heard, Signal expected) throws InterruptedException {
        var others = new HashSet<Signal>();
        while (true) {
            Signal signal = heard.poll(20, TimeUnit.SECONDS);
            assertThat(signal).as("%s after %s", expected, others).isNotNull();
            if (expected.equals(signal)) {
                return;
            }
            others.add(Objects.requireNonNull(signal));
        }
    }
}
