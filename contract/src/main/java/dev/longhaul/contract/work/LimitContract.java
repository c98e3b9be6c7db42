package dev.longhaul.contract.work;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.catalog.Declaration;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.Registration;
import dev.longhaul.contract.Race;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.job.Claim;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import dev.longhaul.job.RunAt;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

public abstract class LimitContract extends StoreContract {
    private static final DefinitionRef REPORT_2 = new DefinitionRef("report", 2);

    @Test
    void bounds_how_many_jobs_of_a_definition_run_at_once() {
        limitRuns(2);
        insertJobs(5);

        assertThat(claim(10)).hasSize(2);
        assertThat(claim(10)).isEmpty();
        assertThat(anotherStore().work().claim(request(10))).isEmpty();
    }

    @Test
    void counts_all_versions_together() {
        limitRuns(3);
        insertAll(aJob(REPORT), aJob(REPORT_2), aJob(REPORT), aJob(REPORT_2));

        assertThat(claim(10)).hasSize(3);
    }

    @Test
    void counts_jobs_that_are_being_cancelled() {
        limitRuns(1);
        Claim claim = cancelling();
        insert(aJob());

        assertThat(claim(10)).isEmpty();
        win(Transition.cancelled(claim));
        assertThat(claim(10)).hasSize(1);
    }

    @Test
    void lets_other_definitions_pass_by() {
        limitRuns(1);
        JobId first = insert(aJob(REPORT).priority(9)).id();
        insert(aJob(REPORT).priority(9));
        JobId other = insert(aJob(IMPORT)).id();

        assertThat(idsOf(claim(2))).containsExactly(first, other);
    }

    @Test
    void hands_out_the_best_jobs_of_the_definition_first() {
        limitRuns(2);
        insert(aJob(REPORT).priority(1));
        JobId second = insert(aJob(REPORT).priority(5)).id();
        JobId first = insert(aJob(REPORT_2).priority(7)).id();

        assertThat(idsOf(claim(10))).containsExactly(first, second);
    }

    @Test
    void frees_a_slot_at_every_end_of_a_run() {
        limitRuns(1);
        freesItsPlace(Transition.succeed(running(), "{}"));
        freesItsPlace(Transition.fail(running(), BOOM));
        freesItsPlace(Transition.retry(running(), RunAt.after(HOUR), BOOM));
        freesItsPlace(Transition.snooze(running(), RunAt.after(HOUR)));
        freesItsPlace(Transition.cancelled(cancelling()));
        freesItsPlace(Transition.giveBack(running()));
    }

    private void freesItsPlace(Transition transition) {
        win(transition);
        win(Transition.succeed(running(aJob().priority(9)), "{}"));
    }

    @Test
    void frees_a_slot_when_a_lease_expires() {
        limitRuns(1);
        running(aJob().maxAttempts(1));
        insert(aJob());
        lapse();

        assertThat(claim(10)).hasSize(1);
    }

    @Test
    void frees_only_one_slot_for_a_transition_that_is_sent_twice() {
        limitRuns(2);
        insertJobs(6);
        Claim first = claim(2).get(0).claim();
        win(Transition.succeed(first, "{}"));
        win(Transition.succeed(first, "{}"));

        assertThat(claim(10)).hasSize(1);
    }

    @Test
    void counts_the_jobs_that_ran_before_it_was_set() {
        insertJobs(4);
        claim(1);
        limitRuns(2);

        assertThat(claim(10)).hasSize(1);
    }

    @Test
    void may_be_lowered_below_the_number_of_running_jobs() {
        insertJobs(5);
        List<ClaimedJob> running = claim(3);
        limitRuns(2);

        win(Transition.succeed(running.get(0).claim(), "{}"));
        assertThat(claim(10)).isEmpty();
        win(Transition.succeed(running.get(1).claim(), "{}"));
        assertThat(claim(10)).hasSize(1);
    }

    @Test
    void of_zero_removes_the_limit() {
        limitRuns(1);
        insertJobs(5);
        claim(10);
        limitRuns(0);

        assertThat(claim(10)).hasSize(4);
    }

    @Test
    void may_be_set_and_removed_repeatedly() {
        limitRuns(0);
        insertJobs(6);
        for (int i = 0; i < 2; i++) {
            limitRuns(1);
        }
        assertThat(claim(10)).hasSize(1);
        limitRuns(2);
        assertThat(claim(10)).hasSize(1);
        for (int i = 0; i < 2; i++) {
            limitRuns(0);
        }
        assertThat(claim(1)).hasSize(1);
        limitRuns(4);
        assertThat(claim(10)).hasSize(1);
    }

    @Test
    void cannot_be_negative() {
        assertRefused(ErrorCode.INVALID_ARGUMENT, () -> limitRuns(-1));
    }

    @Test
    void holds_when_16_claimers_race() {
        limitRuns(3);
        insertJobs(50);

        int taken = Race.of(16, i -> storeOf(i).work().claim(request(2)).size()).stream()
                .mapToInt(Integer::intValue)
                .sum();

        assertThat(taken).isBetween(1, 3);
        assertThat(taken + claim(10).size()).isEqualTo(3);
    }

    @Test
    void holds_while_claimers_race_with_runs_that_end() {
        limitRuns(3);
        List<JobId> all = insertJobs(60);
        var done = new AtomicInteger();
        var running = new AtomicInteger();

        List<JobId> ended = Race.of(16, i -> {
                    var mine = new ArrayList<JobId>();
                    while (done.get() < all.size()) {
                        List<ClaimedJob> claimed = storeOf(i).work().claim(request(2));
                        assertThat(running.addAndGet(claimed.size())).isLessThanOrEqualTo(3);
                        claimed.forEach(each -> mine.add(each.job().id()));
                        // A read takes some time, in which other threads could claim too many jobs.
                        storeOf(i).now();
                        running.addAndGet(-claimed.size());
                        storeOf(i)
                                .work()
                                .apply(claimed.stream()
                                        .map(each -> Transition.succeed(each.claim(), "{}"))
                                        .toList());
                        done.addAndGet(claimed.size());
                    }
                    return mine;
                })
                .stream()
                .flatMap(List::stream)
                .toList();

        assertThat(ended).containsExactlyInAnyOrderElementsOf(all);
    }

    /**
     * Tests that the catalog applies limits in its own transaction, so that a crash cannot separate a definition from
     * its limit.
     */
    @Nested
    class OfTheCatalog {
        private static KnownDefinition known(DefinitionRef ref, int limit) {
            var defaults = new KnownDefinition.Defaults("default", 3, Duration.ofHours(1), limit);
            return new KnownDefinition(ref, "true", "true", defaults, null, Instant.EPOCH);
        }

        private static Registration registration(DefinitionRef ref, int limit) {
            return new Registration() {
                @Override
                public DefinitionRef ref() {
                    return ref;
                }

                @Override
                public KnownDefinition decide(List<Present> versions) {
                    return known(ref, limit);
                }
            };
        }

        private void declare(DefinitionRef ref, @Nullable Integer limit) {
            store().catalog()
                    .declare(
                            new Declaration(ref, null, null, null, null, null, limit),
                            Set.of(Declaration.Field.CONCURRENCY_LIMIT),
                            "anna");
        }

        /** Claims up to 10 of 10 waiting jobs, and ends them. Returns how many were claimed at once. */
        private int runningAtOnce() {
            insertJobs(10);
            List<ClaimedJob> claimed = claim(10);
            claimed.forEach(job -> win(Transition.succeed(job.claim(), "1")));
            for (List<ClaimedJob> more = claim(10); !more.isEmpty(); more = claim(10)) {
                more.forEach(job -> win(Transition.succeed(job.claim(), "1")));
            }
            return claimed.size();
        }

        @Test
        void applies_when_an_operator_declares_it_and_ends_when_it_is_reset() {
            declare(REPORT, 2);
            assertThat(runningAtOnce()).isEqualTo(2);

            declare(REPORT, 3);
            assertThat(runningAtOnce()).isEqualTo(3);
            declare(REPORT, null);
            assertThat(runningAtOnce()).isEqualTo(10);
        }

        @Test
        void applies_when_code_or_a_key_registers_it() {
            store().catalog().register(List.of(known(REPORT, 2)));
            assertThat(runningAtOnce()).isEqualTo(2);

            store().catalog().decide(List.of(registration(REPORT, 4)));
            assertThat(runningAtOnce()).isEqualTo(4);
        }

        @Test
        void is_that_of_the_highest_version() {
            store().catalog().register(List.of(known(REPORT, 2), known(REPORT_2, 5)));
            declare(REPORT, 1);
            assertThat(runningAtOnce())
                    .as("version 1 is declared, version 2 counts")
                    .isEqualTo(5);

            store().catalog().register(List.of(known(REPORT, 2), known(REPORT_2, 5)));
            store().catalog().decide(List.of(registration(REPORT, 3)));
            assertThat(runningAtOnce()).as("registered again").isEqualTo(5);
        }

        @Test
        void ends_with_the_definition() {
            store().catalog().register(List.of(known(REPORT, 2), known(REPORT_2, 5)));
            store().catalog().delete(REPORT_2);
            assertThat(runningAtOnce()).as("version 1 is the highest again").isEqualTo(2);

            store().catalog().delete(REPORT);
            assertThat(runningAtOnce()).isEqualTo(10);
        }

        @Test
        void counts_jobs_that_are_running_already() {
            insertJobs(3);
            assertThat(claim(2)).hasSize(2);
            declare(REPORT, 2);

            assertThat(claim(10)).isEmpty();
        }
    }
}
