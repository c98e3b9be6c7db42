package dev.longhaul.contract.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.Race;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.job.Lease;
import dev.longhaul.job.Progress;
import dev.longhaul.job.Run;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.RunStatus;
import dev.longhaul.job.Tally;
import dev.longhaul.work.ClaimRequest;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

public abstract class ClaimContract extends StoreContract {
    @Test
    void spends_an_attempt_and_starts_a_run() {
        JobId id = insert(aJob()).id();
        Instant before = now();

        ClaimedJob claimed = claimNext();

        Job job = claimed.job();
        Instant startedAt = present(job.times().startedAt());
        assertThat(job.state()).isEqualTo(JobState.RUNNING);
        assertThat(job.tally()).isEqualTo(new Tally(1, 1, 0));
        assertThat(startedAt).isBetween(before, now());
        assertThat(claimed.claim().run()).isEqualTo(1);
        assertThat(store().jobs().runs(id))
                .containsExactly(new Run(id, 1, 1, RunStatus.RUNNING, WORKER, startedAt, null, startedAt, null));
        assertThat(story(id)).containsExactly(EventType.CREATED, EventType.STARTED);
        assertThat(lastEvent(id).run()).isEqualTo(1);
    }

    @Test
    void leases_the_job_to_its_worker_from_now_on() {
        insert(aJob());
        Instant before = now();

        Lease lease = present(claimNext().job().lease());

        assertThat(lease.workerId()).isEqualTo(WORKER);
        assertThat(lease.until()).isBetween(before.plus(LEASE), now().plus(LEASE));
    }

    @Test
    void returns_the_job_after_the_claim() {
        insert(aJob().name("it").params("{\"n\":1}").correlationId("c").createdBy("anna"));
        ClaimedJob claimed = claimNext();

        assertThat(claimed.job()).isEqualTo(look(claimed.claim().jobId()));
    }

    @Test
    void uses_the_batch_of_the_request_as_the_key_of_each_claim() {
        insertJobs(2);
        ClaimRequest request = request(5);

        assertThat(store().work().claim(request))
                .extracting(claimed -> claimed.claim().key())
                .containsExactly(request.batch(), request.batch());
    }

    @Test
    void numbers_the_runs_of_a_job() {
        JobId id = insert(aJob()).id();
        Claim first = claimNext().claim();
        win(Transition.giveBack(first));
        Claim second = claimNext().claim();

        assertThat(second.run()).isEqualTo(2);
        assertThat(second.key()).isNotEqualTo(first.key());
        assertThat(look(id).tally()).isEqualTo(new Tally(2, 1, 0));
        assertThat(store().jobs().runs(id)).extracting(Run::run).containsExactly(1, 2);
        assertThat(store().jobs().runs(id, 0, 1)).extracting(Run::run).containsExactly(1);
        assertThat(store().jobs().runs(id, 1, 10)).extracting(Run::run).containsExactly(2);
        assertThat(store().jobs().runs(id, 2, 10)).isEmpty();
        assertThat(store().jobs().runs(id)).extracting(Run::attempt).containsExactly(1, 1);
    }

    @Test
    void begins_each_run_without_progress() {
        Claim first = running();
        save(RunUpdate.progress(first, new Progress(70, "nearly")));
        win(Transition.retry(first, RunAt.now(), BOOM));

        assertThat(claimNext().job().progress()).isEqualTo(Progress.NONE);
    }

    @Test
    void still_shows_why_the_last_attempt_failed() {
        win(Transition.retry(running(), RunAt.now(), BOOM));

        assertThat(claimNext().job().failure()).isEqualTo(BOOM);
    }

    // Order of claims

    @Test
    void of_nothing_returns_nothing() {
        assertThat(claim(10)).isEmpty();
    }

    @Test
    void takes_the_highest_priority_then_the_earliest_run_time_then_the_smallest_id() {
        Instant soon = now().plus(HOUR);
        JobId last = insert(aJob().priority(-5).runTime(RunAt.at(soon.minusSeconds(9))))
                .id();
        JobId third = insert(aJob().runTime(RunAt.at(soon))).id();
        JobId fourth = insert(aJob().runTime(RunAt.at(soon))).id();
        JobId second = insert(aJob().runTime(RunAt.at(soon.minusSeconds(1)))).id();
        JobId first = insert(aJob().priority(7).runTime(RunAt.at(soon))).id();
        advance(HOUR.plus(SECOND));

        assertThat(idsOf(claim(2))).containsExactly(first, second);
        assertThat(idsOf(claim(9))).containsExactly(third, fourth, last);
    }

    @Test
    void keeps_that_order_over_queues_and_definitions() {
        Instant soon = now().plus(HOUR);
        var expected = new ArrayList<JobId>();
        for (int i = 0; i < 40; i++) {
            var definition = new DefinitionRef("report" + i % 3, 1 + i % 2);
            expected.add(
                    insert(aJob(definition).queue(i % 4 == 0 ? "slow" : QUEUE).runTime(RunAt.at(soon.plusMillis(i))))
                            .id());
        }
        advance(HOUR.plus(SECOND));

        var request = ClaimRequest.of(WORKER, List.of("slow", QUEUE), null, 25, LEASE);
        List<ClaimedJob> claimed = store().work().claim(request);

        assertThat(idsOf(claimed)).containsExactlyElementsOf(expected.subList(0, 25));
    }

    @Test
    void takes_no_more_than_asked_for() {
        insertJobs(5);

        assertThat(claim(3)).hasSize(3);
        assertThat(claim(3)).hasSize(2);
        assertThat(claim(3)).isEmpty();
    }

    @Test
    void does_not_take_jobs_before_their_run_time() {
        JobId id = insert(aJob().priority(1000).runTime(RunAt.after(HOUR))).id();
        assertThat(claim(1)).isEmpty();
        advance(HOUR.plus(SECOND));

        assertThat(idsOf(claim(1))).containsExactly(id);
    }

    @Test
    void takes_jobs_of_the_requested_queues_only() {
        JobId here = insert(aJob().queue("here")).id();
        JobId there = insert(aJob().queue("there")).id();
        insert(aJob().queue("elsewhere"));

        List<ClaimedJob> claimed =
                store().work().claim(ClaimRequest.of(WORKER, List.of("here", "there"), null, 10, LEASE));

        assertThat(idsOf(claimed)).containsExactly(here, there);
    }

    @Test
    void takes_known_definitions_only_in_their_exact_version() {
        var second = new DefinitionRef("report", 2);
        insert(aJob(new DefinitionRef("report", 1)).priority(9));
        insert(aJob(new DefinitionRef("unknown", 2)).priority(9));
        JobId known = insert(aJob(second)).id();

        List<ClaimedJob> claimed = store().work().claim(request(10, second, new DefinitionRef("never-asked-for", 1)));

        assertThat(idsOf(claimed)).containsExactly(known);
    }

    @Test
    void takes_nothing_for_a_worker_that_knows_no_definition() {
        insert(aJob());

        assertThat(store().work().claim(request(10, new DefinitionRef[0]))).isEmpty();
    }

    @Test
    void takes_nothing_from_paused_queues_until_they_are_resumed() {
        JobId paused = insert(aJob().queue("a")).id();
        JobId open = insert(aJob().queue("b")).id();
        store().queues().pause("a", "anna", null);
        var request = ClaimRequest.of(WORKER, List.of("a", "b"), null, 10, LEASE);

        assertThat(idsOf(store().work().claim(request))).containsExactly(open);
        assertThat(anotherStore().work().claim(request)).isEmpty();
        store().queues().resume("a");
        assertThat(idsOf(anotherStore().work().claim(request))).containsExactly(paused);
    }

    // Claims whose response was lost

    @Test
    void can_be_read_again_by_its_batch() {
        insertJobs(3);
        ClaimRequest request = request(2);
        List<ClaimedJob> claimed = store().work().claim(request);

        assertThat(anotherStore().work().claimed(request.batch())).containsExactlyInAnyOrderElementsOf(claimed);
    }

    @Test
    void reads_again_only_jobs_that_are_still_claimed() {
        insertJobs(4);
        ClaimRequest request = request(4);
        List<Claim> claims =
                store().work().claim(request).stream().map(ClaimedJob::claim).toList();
        win(Transition.succeed(claims.get(0), "{}"));
        win(Transition.giveBack(claims.get(1)));
        cancel(claims.get(2).jobId());

        assertThat(idsOf(store().work().claimed(request.batch())))
                .containsExactlyInAnyOrder(claims.get(2).jobId(), claims.get(3).jobId());
        assertThat(store().work().claimed(request.batch()))
                .allSatisfy(
                        held -> assertThat(held.job()).isEqualTo(look(held.job().id())));
        assertThat(store().work().claimed(Claim.newKey())).isEmpty();
    }

    // Races

    @Test
    void gives_each_job_to_one_claimer_only() {
        List<JobId> all = insertJobs(500);

        List<JobId> taken = Race.of(16, i -> {
                    var mine = new ArrayList<JobId>();
                    while (storeOf(i).queues().dueCount(List.of(QUEUE), null) > 0) {
                        mine.addAll(idsOf(storeOf(i).work().claim(request(1 + i % 9))));
                    }
                    return mine;
                })
                .stream()
                .flatMap(List::stream)
                .toList();

        assertThat(taken).containsExactlyInAnyOrderElementsOf(all);
        assertThat(all).allMatch(id -> look(id).tally().run() == 1);
    }

    @Test
    void and_cancel_agree_on_their_order() {
        for (int round = 0; round < 10; round++) {
            JobId id = insert(aJob()).id();
            List<Boolean> claimed = Race.of(2, i -> {
                if (i == 0) {
                    cancel(id, null, null, null);
                    return false;
                }
                return !anotherStore().work().claim(request(1)).isEmpty();
            });

            boolean ran = claimed.get(1);
            assertThat(look(id).state()).isEqualTo(ran ? JobState.CANCELLING : JobState.CANCELLED);
            assertThat(store().jobs().runs(id)).hasSize(ran ? 1 : 0);
            assertThat(story(id)).hasSize(ran ? 3 : 2);
        }
    }
}
