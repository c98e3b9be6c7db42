package dev.longhaul.usecase;

import static dev.longhaul.JobOptions.options;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.NewSchedule;
import dev.longhaul.Registry;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.schedule.Schedule;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.atomic.AtomicLong;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Secrets of a job stay secret, whatever is registered for its definition later. */
class StoredSecretsTest {
    private static final String LOGIN = "{\"properties\":{\"password\":{\"writeOnly\":true}}}";
    private static final String PARAMS = "{\"password\":\"hunter2-params\"}";
    private static final String MASKED = "{\"password\":\"***\"}";

    private final MemoryStore store = new MemoryStore();
    private final AtomicLong nanos = new AtomicLong();
    private final Registry registry = new Registry();
    private final Jobs jobs = new Jobs(registry, store, new KnownDefinitions(registry, store.catalog(), nanos::get));
    private final Schedules schedules = new Schedules(jobs, store);

    /** Registers login@1 with these schemas, as a worker in another process does. */
    private void registered(String params, String result) {
        var defaults = new KnownDefinition.Defaults("default", 3, Duration.ofHours(1), 0);
        store.catalog()
                .register(List.of(new KnownDefinition(
                        new DefinitionRef("login", 1), params, result, defaults, null, Instant.EPOCH)));
        nanos.addAndGet(Duration.ofMinutes(1).toNanos());
    }

    @BeforeEach
    void register() {
        registered(LOGIN, LOGIN);
    }

    private Job ended(Job job, String result) {
        var claimed = store.claimById().claimOne(job.id(), UUID.randomUUID(), "w", Duration.ofMinutes(1));
        store.work().apply(List.of(Transition.succeed(claimed.claim(), result)));
        return found(job.id());
    }

    private Job found(JobId id) {
        return store.jobs().find(id).orElseThrow();
    }

    @Nested
    class After_a_registration_without_secrets {
        @Test
        void params_results_and_values_stay_masked() {
            Job job = jobs.enqueue("login", 1, PARAMS, options());
            Job ended = ended(job, "{\"password\":\"hunter2-result\",\"saw\":\"hunter2-params\"}");
            registered("true", "true");

            assertThat(jobs.paramsToShow(ended)).isEqualTo(MASKED);
            assertThat(jobs.resultToShow(ended)).isEqualTo("{\"password\":\"***\",\"saw\":\"***\"}");
            assertThat(jobs.secretsOf(ended).hide("it is hunter2-params")).isEqualTo("it is ***");
        }

        @Test
        void edited_params_stay_masked() {
            Job job = jobs.enqueue("login", 1, PARAMS, options());
            registered("true", "true");
            jobs.execute(JobCommand.edit(
                    job.id(), null, new JobEdit(null, null, null, "{\"password\":\"hunter3-edited\"}", null, null)));

            assertThat(jobs.paramsToShow(found(job.id()))).isEqualTo(MASKED);
        }

        @Test
        void schedules_and_their_jobs_stay_masked() {
            schedules.create(
                    NewSchedule.of("s").definition("login", 1).params(PARAMS).every(Duration.ofHours(1)));
            registered("true", "true");
            Schedule edited = schedules.edit("s", before -> before.every(Duration.ofHours(2)));

            assertThat(schedules.paramsToShow(edited)).isEqualTo(MASKED);
            JobId id = java.util.Objects.requireNonNull(
                    schedules.trigger("s", null).jobId());
            assertThat(jobs.paramsToShow(found(id))).isEqualTo(MASKED);
        }

        @Test
        void jobs_created_from_then_on_have_none() {
            registered("true", "true");
            Job job = jobs.enqueue("login", 1, PARAMS, options());

            assertThat(job.spec().secrets()).isNull();
            assertThat(jobs.paramsToShow(job)).isEqualTo(PARAMS);
        }
    }

    @Nested
    class After_a_registration_with_more {
        @Test
        void both_are_masked() {
            Job job = jobs.enqueue("login", 1, "{\"password\":\"p\",\"pin\":1,\"size\":2}", options());
            registered("{\"properties\":{\"pin\":{\"writeOnly\":true}}}", "true");

            assertThat(jobs.paramsToShow(job)).isEqualTo("{\"password\":\"***\",\"pin\":\"***\",\"size\":2}");
        }

        @Test
        void an_edit_stores_both() {
            Job job = jobs.enqueue("login", 1, PARAMS, options());
            registered("{\"properties\":{\"pin\":{\"writeOnly\":true}}}", "true");
            jobs.execute(JobCommand.edit(
                    job.id(), null, new JobEdit(null, null, null, "{\"password\":\"p\",\"pin\":1}", null, null)));
            registered("true", "true");

            assertThat(jobs.paramsToShow(found(job.id()))).isEqualTo("{\"password\":\"***\",\"pin\":\"***\"}");
        }
    }

    @Nested
    class Of_a_definition_that_no_process_knows {
        @Test
        void stored_places_are_masked_and_all_other_values_are_shown() {
            Job job = jobs.enqueue(JobSpec.of(new DefinitionRef("gone", 1), "{\"password\":\"p\",\"size\":2}")
                    .secrets("{\"params\":" + LOGIN + "}")
                    .build());
            Job ended = ended(job, "{\"size\":3}");

            assertThat(jobs.paramsToShow(ended)).isEqualTo("{\"password\":\"***\",\"size\":2}");
            assertThat(jobs.resultToShow(ended)).isEqualTo("{\"size\":3}");
        }

        @Test
        void nothing_is_shown_without_stored_places() {
            Job job = jobs.enqueue(
                    JobSpec.of(new DefinitionRef("gone", 1), PARAMS).build());

            assertThat(jobs.paramsToShow(job)).isNull();
        }

        @Test
        void environments_of_commands_are_masked() {
            Job job = jobs.enqueue(JobSpec.of(new DefinitionRef("command", 1), "{\"env\":{\"T\":\"x\"}}")
                    .build());

            assertThat(jobs.paramsToShow(job)).isEqualTo("{\"env\":{\"T\":\"***\"}}");
        }
    }
}
