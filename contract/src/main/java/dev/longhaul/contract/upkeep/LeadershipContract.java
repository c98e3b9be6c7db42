package dev.longhaul.contract.upkeep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.contract.Race;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.job.Claim;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobState;
import dev.longhaul.spi.Leadership;
import dev.longhaul.spi.Upkeep.Retained;
import dev.longhaul.work.Expired;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** Tests leadership for maintenance tasks, and when it is safe to end expired leases. */
public abstract class LeadershipContract extends StoreContract {
    private static final Duration TERM = Duration.ofMinutes(10);
    private static final Duration MOMENT = LEASE.dividedBy(4);

    private Optional<Leadership> lead(String holder) {
        return store().upkeep().lead(holder, TERM, LEASE);
    }

    private Leadership leadership(String holder) {
        return lead(holder).orElseThrow();
    }

    /** Renews leadership without a gap for longer than the duration of a lease. */
    private Leadership renewSteadily(String holder) {
        Leadership last = leadership(holder);
        for (int i = 0; i < 5; i++) {
            advance(MOMENT);
            last = leadership(holder);
        }
        return last;
    }

    @Test
    void goes_to_one_holder_at_a_time() {
        assertThat(lead("a")).isPresent();
        assertThat(lead("b")).isEmpty();
        assertThat(anotherStore().upkeep().lead("b", TERM, LEASE)).isEmpty();
    }

    @Test
    void goes_to_one_holder_when_many_race() {
        List<Optional<Leadership>> results = Race.of(8, i -> storeOf(i).upkeep().lead("holder-" + i, TERM, LEASE));

        assertThat(results.stream().filter(Optional::isPresent)).hasSize(1);
    }

    @Test
    void is_renewed_without_a_new_epoch() {
        Leadership first = leadership("a");
        advance(TERM.minus(SECOND));
        Leadership renewed = leadership("a");
        advance(TERM.minus(SECOND));

        assertThat(renewed.epoch()).isEqualTo(first.epoch());
        assertThat(lead("b")).isEmpty();
    }

    @Test
    void is_taken_over_once_the_term_is_over() {
        Leadership first = leadership("a");
        advance(TERM.plus(SECOND));
        Leadership second = leadership("b");

        assertThat(second.holder()).isEqualTo("b");
        assertThat(second.epoch()).isGreaterThan(first.epoch());
        assertThat(lead("a")).isEmpty();
    }

    @Test
    void starts_a_new_term_for_a_holder_whose_own_term_is_over() {
        Leadership first = leadership("a");
        advance(TERM.plus(SECOND));

        assertThat(leadership("a").epoch()).isGreaterThan(first.epoch());
    }

    @Test
    void is_free_at_once_when_its_holder_resigns() {
        Leadership first = leadership("a");
        store().upkeep().resign(first);

        assertThat(leadership("b").epoch()).isGreaterThan(first.epoch());
    }

    @Test
    void is_not_taken_from_a_successor_by_resigning_late() {
        Leadership deposed = leadership("a");
        store().upkeep().resign(deposed);
        leadership("b");
        store().upkeep().resign(deposed);

        assertThat(lead("c")).isEmpty();
    }

    @Test
    void needs_a_holder_a_term_and_a_lease() {
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> lead(""));
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> lead("a\0"));
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> store().upkeep().lead("a", Duration.ZERO, LEASE));
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> store().upkeep().lead("a", TERM, Duration.ZERO));
    }

    @Test
    void lets_a_former_leader_change_nothing() {
        Leadership deposed = leadership("a");
        JobId finished = succeeded();
        Claim lapsed = running();
        advance(Duration.ofDays(30));
        leadership("b");
        var stale = new Leadership(deposed.holder(), deposed.epoch(), now());

        assertThat(store().upkeep().expireLeases(stale, 10)).isEmpty();
        assertThat(store().upkeep().retain(stale, HOUR)).isEqualTo(new Retained(0, 0));
        assertThat(store().jobs().find(finished)).isPresent();
        assertThat(look(lapsed.jobId()).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void cannot_be_gained_by_guessing_the_epoch() {
        Leadership leads = leadership("a");
        running();
        advance(LEASE.plus(SECOND));

        assertThat(store().upkeep().expireLeases(new Leadership("b", leads.epoch(), now()), 10))
                .isEmpty();
    }

    @Test
    void ends_nothing_at_the_first_call() {
        running();
        advance(LEASE.plus(SECOND));
        Leadership first = leadership("a");

        assertThat(first.lapsedBefore()).isNull();
        assertThat(store().upkeep().expireLeases(first, 10)).isEmpty();
    }

    @Test
    void ends_expired_leases_at_once_while_calls_are_steady() {
        renewSteadily("a");
        Claim claim = running();
        for (int i = 0; i < 4; i++) {
            advance(MOMENT);
            assertThat(store().upkeep().expireLeases(leadership("a"), 10).isEmpty())
                    .isEqualTo(i < 3);
        }

        assertThat(look(claim.jobId()).tally().crashes()).isEqualTo(1);
    }

    @Test
    void ends_nothing_for_a_whole_lease_after_a_gap() {
        renewSteadily("a");
        Claim claim = running();
        // Longer than a third of a lease, as if the store had been unavailable, and shorter than a lease.
        advance(LEASE.dividedBy(2));
        assertThat(leadership("a").lapsedBefore()).isNull();
        for (int i = 0; i < 3; i++) {
            advance(MOMENT);
            assertThat(store().upkeep().expireLeases(leadership("a"), 10)).isEmpty();
        }
        advance(MOMENT);

        assertThat(store().upkeep().expireLeases(leadership("a"), 10))
                .extracting(Expired::claim)
                .containsExactly(claim);
    }

    @Test
    void ends_leases_that_expired_before_the_last_call_if_that_was_a_whole_lease_ago() {
        Claim early = running();
        advance(LEASE.plus(SECOND));
        Claim late = running();
        Instant before = now();
        leadership("a");
        Instant after = now();
        advance(LEASE.plus(SECOND));
        Leadership leads = leadership("a");

        assertThat(leads.lapsedBefore()).isBetween(before, after);
        assertThat(store().upkeep().expireLeases(leads, 10))
                .extracting(Expired::claim)
                .containsExactly(early);
        assertThat(look(late.jobId()).state()).isEqualTo(JobState.RUNNING);
    }

    @Test
    void stays_steady_when_the_leader_changes_without_a_gap() {
        Leadership first = renewSteadily("a");
        Claim claim = running();
        for (int i = 0; i < 4; i++) {
            advance(MOMENT);
            first = leadership("a");
        }
        store().upkeep().resign(first);
        Leadership second = leadership("b");

        assertThat(second.lapsedBefore()).isNotNull();
        assertThat(store().upkeep().expireLeases(second, 10))
                .extracting(Expired::claim)
                .containsExactly(claim);
    }

    @Test
    void does_not_count_calls_of_processes_that_do_not_lead() {
        renewSteadily("a");
        advance(MOMENT);
        assertThat(lead("b")).isEmpty();
        advance(MOMENT);

        assertThat(leadership("a").lapsedBefore()).isNull();
    }
}
