package dev.longhaul.contract.intake;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobQuery;
import dev.longhaul.contract.StoreContract;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.intake.IntakeProgress;
import dev.longhaul.intake.IntakeProgress.Alias;
import dev.longhaul.intake.IntakeProgress.Stored;
import dev.longhaul.internal.text.Uuid7;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Limits;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.Test;

/** An intake's writers store jobs, some of them old, and continue where an earlier writer ended. */
public abstract class IntakeProgressContract extends StoreContract {
    private static final Instant APPENDED = Instant.parse("2026-01-01T00:00:00Z");

    private IntakeProgress progress() {
        return store().capability(IntakeProgress.class).orElseThrow();
    }

    private IntakeProgress another() {
        return anotherStore().capability(IntakeProgress.class).orElseThrow();
    }

    private static Stored stored(int partition, long nextOffset) {
        return new Stored(partition, nextOffset, APPENDED);
    }

    // Progress

    @Test
    void a_writer_begins_an_unknown_partition_at_its_start() {
        assertThat(progress().progress()).isEmpty();
        assertThat(progress().takeOver("a", Set.of(3, 5))).isEqualTo(Map.of(3, 0L, 5, 0L));
        assertThat(progress().progress())
                .containsExactly(new Stored(3, 0, Instant.EPOCH), new Stored(5, 0, Instant.EPOCH));
    }

    @Test
    void the_next_writer_continues_where_the_earlier_one_ended() {
        progress().takeOver("a", Set.of(3, 5));

        assertThat(progress().stored("a", List.of(stored(3, 17)))).isTrue();

        assertThat(progress().progress()).containsExactly(stored(3, 17), new Stored(5, 0, Instant.EPOCH));
        assertThat(another().takeOver("b", Set.of(3))).isEqualTo(Map.of(3, 17L));
    }

    @Test
    void a_writer_that_lost_one_partition_changes_none() {
        progress().takeOver("a", Set.of(3, 5));
        another().takeOver("b", Set.of(5));

        assertThat(progress().stored("a", List.of(stored(3, 9), stored(5, 9)))).isFalse();
        assertThat(progress().stored("a", List.of(stored(3, 9)))).isTrue();
        assertThat(another().stored("b", List.of(stored(5, 2)))).isTrue();

        assertThat(progress().progress()).containsExactly(stored(3, 9), stored(5, 2));
    }

    @Test
    void a_writer_that_never_took_a_partition_over_changes_nothing() {
        assertThat(progress().stored("a", List.of(stored(3, 9)))).isFalse();
        assertThat(progress().progress()).isEmpty();
    }

    // Jobs

    @Test
    void a_job_is_stored_once() {
        JobSpec spec = aJob().build();

        assertThat(progress().insert(List.of(spec))).containsExactly(spec.id());
        assertThat(another().insert(List.of(spec))).containsExactly(spec.id());

        assertThat(claim(10)).hasSize(1);
    }

    @Test
    void jobs_may_have_ids_that_are_days_old() {
        Instant madeAt = now().minus(Limits.OLDEST_DEFERRED).plus(HOUR);
        JobSpec old = aJob().id(idMadeAt(madeAt)).build();
        JobSpec keyed =
                aJob().id(idMadeAt(madeAt.plus(HOUR))).idempotencyKey("k").build();
        JobSpec fresh = aJob().build();

        assertThat(progress().insert(List.of(old, fresh))).containsExactly(old.id(), fresh.id());
        assertThat(progress().insert(List.of(keyed))).containsExactly(keyed.id());

        Job job = look(old.id());
        assertThat(job.times().createdAt()).isEqualTo(old.id().madeAt());
        assertThat(job.times().runAt()).isEqualTo(job.times().updatedAt());
        assertThat(look(keyed.id()).times().createdAt()).isEqualTo(keyed.id().madeAt());
        assertThat(look(fresh.id()).times().createdAt()).isAfter(now().minus(HOUR));
        assertThat(idsCreatedAfter(madeAt.minus(HOUR))).containsExactlyInAnyOrder(fresh.id(), keyed.id(), old.id());
        assertThat(idsCreatedAfter(now().minus(HOUR))).containsExactly(fresh.id());
        assertThat(idsOf(claim(10))).containsExactlyInAnyOrder(old.id(), keyed.id(), fresh.id());
    }

    private List<JobId> idsCreatedAfter(Instant time) {
        return store().jobs().list(JobQuery.where().createdAfter(time).build()).jobs().stream()
                .map(Job::id)
                .toList();
    }

    @Test
    void an_old_job_runs_and_ends_like_others() {
        JobSpec old = aJob().id(idMadeAt(now().minus(Duration.ofDays(6)))).build();
        progress().insert(List.of(old));

        win(Transition.succeed(claimNext().claim(), "{}"));
        progress().insert(List.of(old));

        assertThat(look(old.id()).result()).isEqualTo("{}");
        assertThat(claim(10)).isEmpty();
    }

    @Test
    void older_ids_are_rejected_with_all_of_their_batch() {
        JobSpec tooOld = aJob().id(idMadeAt(now().minus(Limits.OLDEST_DEFERRED).minus(HOUR)))
                .build();
        JobSpec early =
                aJob().id(idMadeAt(now().plus(Limits.CLOCK_SKEW).plus(HOUR))).build();
        JobSpec fine = aJob().build();

        for (JobSpec refused : List.of(tooOld, early)) {
            LonghaulException refusal =
                    assertRefused(ErrorCode.INVALID_ARGUMENT, () -> progress().insert(List.of(fine, refused)));
            assertThat(refusal.errors()).extracting("field").containsExactly("jobId");
        }
        assertThat(store().jobs().find(fine.id())).isEmpty();
    }

    private static JobId idMadeAt(Instant time) {
        return new JobId(new Uuid7(time::toEpochMilli).next());
    }

    // Aliases

    @Test
    void a_job_whose_idempotency_key_is_used_is_an_alias_of_the_first() {
        JobSpec first = aJob().idempotencyKey("k").build();
        JobSpec second = aJob().idempotencyKey("k").build();

        assertThat(progress().insert(List.of(first, second))).containsExactly(first.id(), first.id());
        progress().alias(List.of(new Alias(second.id(), first.id())));
        another().alias(List.of(new Alias(second.id(), first.id())));

        assertThat(another().aliasOf(second.id())).contains(first.id());
        assertThat(progress().aliasOf(first.id())).isEmpty();
    }

    @Test
    void an_alias_is_removed_with_its_first_job() {
        JobSpec first = aJob().idempotencyKey("k").build();
        JobSpec second = aJob().idempotencyKey("k").build();
        progress().insert(List.of(first));
        progress().alias(List.of(new Alias(second.id(), first.id())));
        win(Transition.succeed(claimNext().claim(), "{}"));
        advance(HOUR);

        retain(Duration.ofDays(7));
        assertThat(progress().aliasOf(second.id())).contains(first.id());
        retain(Duration.ofMinutes(1));

        assertThat(progress().aliasOf(second.id())).isEmpty();
    }
}
