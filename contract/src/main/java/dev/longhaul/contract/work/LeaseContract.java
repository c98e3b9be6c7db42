package dev.longhaul.contract.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.Race;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.contract.Whole;
import dev.longhaul.event.EventType;
import dev.longhaul.job.CancelRequest;
import dev.longhaul.job.Claim;
import dev.longhaul.job.JobId;
import dev.longhaul.job.Lease;
import dev.longhaul.job.Progress;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.LeaseRenewal;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Tests extending leases. */
public abstract class LeaseContract extends StoreContract {
    @Test
    void lasts_that_long_from_now() {
        Claim claim = running();
        advance(Duration.ofSeconds(30));
        Instant before = now();

        assertThat(extend(claim)).isEqualTo(new LeaseRenewal(claim, true, null));

        Lease lease = present(look(claim.jobId()).lease());
        assertThat(lease.until()).isBetween(before.plus(LEASE), now().plus(LEASE));
        assertThat(lease.heartbeatAt()).isBetween(before, now());
        assertThat(lease.workerId()).isEqualTo(WORKER);
    }

    @Test
    void moves_the_update_time_of_the_run_and_so_does_a_report() {
        Claim claim = running();
        JobId id = claim.jobId();
        assertThat(lastRun(id).updatedAt()).isEqualTo(lastRun(id).startedAt());
        advance(SECOND);
        extend(claim);
        Instant heartbeat = present(present(look(id).lease()).heartbeatAt());
        assertThat(lastRun(id).updatedAt())
                .isEqualTo(heartbeat)
                .isAfter(lastRun(id).startedAt());
        advance(SECOND);

        save(RunUpdate.progress(claim, new Progress(10, null)));

        assertThat(lastRun(id).updatedAt())
                .isAfter(heartbeat)
                .isEqualTo(look(id).times().updatedAt());
        win(Transition.succeed(claim, "null"));
        assertThat(lastRun(id).updatedAt()).isEqualTo(lastRun(id).endedAt());
    }

    @Test
    void keeps_the_job_from_being_taken() {
        Claim claim = running();
        for (int i = 0; i < 5; i++) {
            advance(LEASE.minus(SECOND));
            assertThat(extend(claim).held()).isTrue();
            assertThat(expire(10)).isEmpty();
        }

        assertThat(story(claim.jobId())).containsExactly(EventType.CREATED, EventType.STARTED);
    }

    @Test
    void returns_a_cancel_request() {
        Claim claim = running();
        cancel(claim.jobId(), "anna", "not needed", Duration.ofSeconds(20));

        LeaseRenewal answer = extend(claim);

        assertThat(answer.held()).isTrue();
        CancelRequest request = present(answer.cancelRequest());
        assertThat(request).isEqualTo(look(claim.jobId()).cancelRequest());
        assertThat(request.reason()).isEqualTo("not needed");
        assertThat(request.grace()).isEqualTo(Duration.ofSeconds(20));
    }

    @Test
    void that_has_expired_but_not_been_ended_is_extended() {
        Claim claim = running();
        advance(LEASE.plus(HOUR));

        assertThat(extend(claim).held()).isTrue();
        assertThat(expire(10)).isEmpty();
    }

    @Test
    void is_lost_for_a_claim_that_does_not_hold() {
        Claim claim = running();
        loses(new Claim(claim.jobId(), 1, Claim.newKey()));
        loses(new Claim(claim.jobId(), 2, claim.key()));
        win(Transition.succeed(claim, "{}"));
        loses(claim);
        Claim lapsed = running();
        lapse();
        loses(lapsed);
        claimNext();
        loses(lapsed);
    }

    private void loses(Claim claim) {
        Whole before = whole(claim.jobId());

        assertThat(extend(claim)).isEqualTo(new LeaseRenewal(claim, false, null));

        assertThat(whole(claim.jobId())).isEqualTo(before);
    }

    @Test
    void is_lost_for_an_unknown_job() {
        assertThat(extend(new Claim(newId(), 1, Claim.newKey())).held()).isFalse();
    }

    @Test
    void is_returned_in_the_order_of_the_claims() {
        insertJobs(50);
        var claims = new ArrayList<Claim>();
        claim(50).stream().map(ClaimedJob::claim).forEach(claims::add);
        for (int i = 0; i < 20; i++) {
            claims.add(new Claim(claims.get(i).jobId(), 1, Claim.newKey()));
        }
        Collections.shuffle(claims);

        List<LeaseRenewal> results = store().work().extend(claims, LEASE);

        assertThat(results).extracting(LeaseRenewal::claim).containsExactlyElementsOf(claims);
        assertThat(results).filteredOn(LeaseRenewal::held).hasSize(50);
        assertThat(store().work().extend(List.of(), LEASE)).isEmpty();
    }

    @Test
    void and_its_expiry_agree_on_their_order() {
        for (int round = 0; round < 10; round++) {
            Claim claim = running(aJob().maxAttempts(1));
            advance(LEASE.plus(SECOND));
            List<Boolean> outcome = Race.of(
                    2,
                    i -> i == 0
                            ? store().work()
                                    .extend(List.of(claim), LEASE)
                                    .get(0)
                                    .held()
                            : anotherStore().upkeep().expireLeases(leader(), 10).size() == 1);

            assertThat(outcome).containsExactlyInAnyOrder(true, false);
            assertThat(look(claim.jobId()).state().leased()).isEqualTo(outcome.get(0));
            apply(Transition.succeed(claim, "{}"));
        }
    }

    private LeaseRenewal extend(Claim claim) {
        return store().work().extend(List.of(claim), LEASE).get(0);
    }
}
