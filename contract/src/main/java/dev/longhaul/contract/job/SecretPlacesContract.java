package dev.longhaul.contract.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobQuery;
import dev.longhaul.contract.schedule.ScheduleWords;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.schedule.Timing;
import dev.longhaul.spi.Inserted;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Transition;
import java.util.List;
import java.util.UUID;
import org.junit.jupiter.api.Test;

/**
 * Tests that the secret places of a job are stored with the job as long as it exists: when its definition changes,
 * masking depends on them alone.
 */
public abstract class SecretPlacesContract extends ScheduleWords {
    private static final String PLACES = "{\"params\":{\"properties\":{\"password\":{\"writeOnly\":true}}}}";
    private static final String OTHERS = "{\"params\":{\"writeOnly\":true}}";

    @Test
    void are_stored_with_every_kind_of_insert() {
        JobSpec alike = aJob().secrets(PLACES).build();
        JobSpec other = aJob().secrets(OTHERS).build();
        JobSpec none = aJob().build();
        insertFresh(List.of(alike));
        insertFresh(List.of(other, none));
        JobSpec keyed = aJob().secrets(PLACES).idempotencyKey("k").build();
        List<Inserted> batch = store().jobs()
                .insert(List.of(keyed, aJob().name("n").secrets(OTHERS).build()));

        assertThat(batch).extracting(one -> one.job().spec().secrets()).containsExactly(PLACES, OTHERS);
        assertThat(look(alike.id()).spec().secrets()).isEqualTo(PLACES);
        assertThat(look(other.id()).spec().secrets()).isEqualTo(OTHERS);
        assertThat(look(none.id()).spec().secrets()).isNull();
        assertThat(look(keyed.id()).spec().secrets()).isEqualTo(PLACES);
        assertThat(store().jobs().list(JobQuery.ALL).jobs())
                .extracting(job -> job.spec().secrets())
                .containsExactlyInAnyOrder(PLACES, OTHERS, null, PLACES, OTHERS);
    }

    @Test
    void stay_from_the_claim_to_the_end_and_beyond_a_retry() {
        JobId id = insert(aJob().secrets(PLACES).maxAttempts(1)).id();
        ClaimedJob first = claimNext();
        assertThat(first.job().spec().secrets()).isEqualTo(PLACES);

        win(Transition.fail(first.claim(), BOOM));
        assertThat(look(id).spec().secrets()).isEqualTo(PLACES);

        Job again = retry(id, null);
        assertThat(again.spec().secrets()).isEqualTo(PLACES);
        ClaimedJob second = store().claimById().claimOne(id, UUID.randomUUID(), WORKER, LEASE);
        assertThat(second.job().spec().secrets()).isEqualTo(PLACES);
        win(Transition.succeed(second.claim(), "1"));
        assertThat(look(id).spec().secrets()).isEqualTo(PLACES);
    }

    @Test
    void stay_with_a_job_that_is_cancelled_while_it_waits() {
        JobId id = insert(aJob().secrets(PLACES)).id();
        cancel(id, null, null, null);

        assertThat(look(id).spec().secrets()).isEqualTo(PLACES);
    }

    @Test
    void change_only_with_an_edit_that_names_them() {
        JobId id = insert(aJob().secrets(PLACES)).id();

        assertThat(edit(id, new JobEdit("n", null, null, "[]", null, null), null)
                        .spec()
                        .secrets())
                .isEqualTo(PLACES);
        edit(id, JobEdit.NOTHING.withSecrets(OTHERS), null);
        assertThat(look(id).spec().secrets()).isEqualTo(OTHERS);
    }

    @Test
    void of_a_schedule_go_to_its_jobs() {
        JobSpec job = aJob().secrets(PLACES).build();
        create(with(spec("a", Timing.every(HOUR, now().plus(HOUR))), job));
        assertThat(schedule("a").spec().job().secrets()).isEqualTo(PLACES);
        advance(HOUR.plus(SECOND));

        Job made = look(present(fireDue().fires().get(0).jobId()));
        assertThat(made.spec().secrets()).isEqualTo(PLACES);
        JobId triggered = present(schedules().trigger("a", null).jobId());
        assertThat(look(triggered).spec().secrets()).isEqualTo(PLACES);
    }
}
