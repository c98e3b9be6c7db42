package dev.longhaul.usecase;

import static dev.longhaul.JobOptions.options;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobOptions;
import dev.longhaul.JobQuery;
import dev.longhaul.NewJob;
import dev.longhaul.Registry;
import dev.longhaul.catalog.Declaration;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.Limits;
import dev.longhaul.memory.MemoryStore;
import dev.longhaul.spi.Inserted;
import dev.longhaul.spi.JobCommand;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.IntStream;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** Requests for jobs by name, in a process that may or may not have their code. */
class JobsTest {
    record Mail(String address, int copies) {}

    private static final String GOOD = "{\"address\":\"ann\",\"copies\":1}";
    private static final String BAD = "{\"address\":\"ann\"}";

    private final MemoryStore store = new MemoryStore();
    private final CountedLookUps catalog = new CountedLookUps(store.catalog());
    private final AtomicLong nanos = new AtomicLong();
    private final Registry registry = new Registry();
    private final Jobs jobs = new Jobs(registry, store, new KnownDefinitions(registry, catalog, nanos::get));

    private static JobDefinition<Mail, String> mail(String key, int version) {
        return JobDefinition.of(key, Mail.class, String.class)
                .version(version)
                .queue("mails")
                .maxAttempts(7)
                .timeout(Duration.ofSeconds(9))
                .handler((params, context) -> "sent");
    }

    /** Registers definitions of another process. */
    private void elsewhere(String... names) {
        for (String name : names) {
            DefinitionRef ref = DefinitionRef.parse(name);
            store.catalog().register(List.of(KnownDefinition.of(mail(ref.key(), ref.version()))));
        }
    }

    private void declare(KnownDefinition before, String params, String result) {
        store.catalog()
                .declare(new KnownDefinition(before.ref(), params, result, before.defaults(), "anna", Instant.EPOCH));
    }

    private void passes(Duration time) {
        nanos.addAndGet(time.toNanos());
    }

    private long stored() {
        return store.jobs().list(JobQuery.ALL).jobs().size();
    }

    private static LonghaulException refused(ErrorCode code, ThrowingCallable call) {
        LonghaulException refusal = catchThrowableOfType(LonghaulException.class, call);
        assertThat(refusal).as("the refusal with code %s", code).isNotNull();
        assertThat(refusal.code()).isEqualTo(code);
        return refusal;
    }

    @Nested
    class ByName {
        @Test
        void accepts_a_definition_of_another_process() {
            elsewhere("mail@1");
            Job job = jobs.enqueue("mail", 1, GOOD, options());

            JobSpec spec = store.jobs().find(job.id()).orElseThrow().spec();
            assertThat(spec.definition()).isEqualTo(new DefinitionRef("mail", 1));
            assertThat(spec.queue()).isEqualTo("mails");
            assertThat(spec.maxAttempts()).isEqualTo(7);
            assertThat(spec.timeout()).isEqualTo(Duration.ofSeconds(9));
            assertThat(spec.params()).isEqualTo(GOOD);
        }

        @Test
        void uses_the_highest_version_by_default() {
            elsewhere("mail@1", "mail@10", "mail@9");

            assertThat(jobs.spec("mail", null, GOOD, options()).definition().version())
                    .isEqualTo(10);
            assertThat(jobs.spec("mail", 9, GOOD, options()).definition().version())
                    .isEqualTo(9);
        }

        @Test
        void accepts_a_definition_that_only_this_process_knows() {
            registry.register(mail("mail", 1));
            assertThat(jobs.spec("mail", null, GOOD, options()).definition().version())
                    .isEqualTo(1);
        }

        @Test
        void uses_a_higher_version_that_only_another_process_knows() {
            registry.register(mail("mail", 1));
            elsewhere("mail@2");
            assertThat(jobs.spec("mail", null, GOOD, options()).definition().version())
                    .isEqualTo(2);
        }

        @Test
        void lets_an_operators_declaration_override_the_code() {
            JobDefinition<Mail, String> code = mail("mail", 1);
            registry.register(code);
            declare(KnownDefinition.of(code), "false", "true");
            refused(ErrorCode.INVALID_ARGUMENT, () -> jobs.spec("mail", 1, GOOD, options()));
        }

        @Test
        void checks_params_and_options_together() {
            elsewhere("mail@1");
            LonghaulException refusal = refused(
                    ErrorCode.INVALID_ARGUMENT,
                    () -> jobs.spec("mail", 1, BAD, options().priority(5000).queue("no spaces")));

            assertThat(refusal.errors())
                    .extracting(FieldError::field)
                    .containsExactlyInAnyOrder("params.copies", "priority", "queue");
        }

        @Test
        void reports_an_unknown_definition_with_all_other_problems() {
            LonghaulException refusal = refused(
                    ErrorCode.UNKNOWN_DEFINITION,
                    () -> jobs.spec("mail", null, GOOD, options().priority(5000).delay(Duration.ofSeconds(-4))));

            assertThat(refusal.errors())
                    .extracting(FieldError::field)
                    .containsExactlyInAnyOrder("definitionKey", "priority", "delay");
        }

        @Test
        void refuses_params_that_are_too_large_before_it_reads_them() {
            elsewhere("mail@1");
            refused(ErrorCode.TOO_LARGE, () -> jobs.spec("mail", 1, "x".repeat(Limits.JSON_BYTES + 1), options()));
        }

        @Test
        void rejects_invalid_names() {
            refused(ErrorCode.INVALID_ARGUMENT, () -> jobs.spec("no spaces", null, GOOD, options()));
            refused(ErrorCode.INVALID_ARGUMENT, () -> jobs.spec("mail", 0, GOOD, options()));
        }

        @Test
        void returns_the_first_job_of_an_idempotency_key_even_if_the_definition_changed() {
            elsewhere("mail@1");
            JobOptions once = options().idempotencyKey("k");
            JobId first = jobs.enqueue("mail", null, GOOD, once).id();
            elsewhere("mail@2");
            passes(Duration.ofSeconds(2));

            assertThat(jobs.enqueue("mail", null, GOOD, once).id()).isEqualTo(first);
            assertThat(jobs.enqueue("mail", 1, GOOD, once).id()).isEqualTo(first);
            assertThat(jobs.enqueue("mail", null, BAD, once).id()).isEqualTo(first);
            assertThat(stored()).isEqualTo(1);
        }

        @Test
        void treats_an_idempotency_key_of_another_version_as_another_job() {
            elsewhere("mail@1");
            elsewhere("mail@2");
            JobOptions once = options().idempotencyKey("k");
            JobId first = jobs.enqueue("mail", 1, GOOD, once).id();

            JobId second = jobs.enqueue("mail", 2, GOOD, once).id();

            assertThat(second).isNotEqualTo(first);
            assertThat(jobs.enqueue("mail", null, GOOD, once).id()).isEqualTo(first);
            assertThat(jobs.enqueue("mail", 2, BAD, once).id()).isEqualTo(second);
            refused(ErrorCode.UNKNOWN_DEFINITION, () -> jobs.enqueue("mail", 3, GOOD, once));
            assertThat(jobs.enqueueBatch(List.of(
                            new NewJob("mail", 2, GOOD, once),
                            new NewJob("mail", null, GOOD, once),
                            new NewJob("mail", 2, BAD, once))))
                    .extracting(one -> one.job().id())
                    .containsExactly(second, first, second);
            assertThat(stored()).isEqualTo(2);
        }
    }

    @Nested
    class Remembering {
        @Test
        void a_known_definition_is_looked_up_once_a_second() {
            elsewhere("mail@1");
            for (int i = 0; i < 100; i++) {
                jobs.enqueue("mail", null, GOOD, options());
            }
            assertThat(catalog.lookUps).hasValue(1);
            elsewhere("mail@2");
            passes(Duration.ofSeconds(1));
            assertThat(jobs.spec("mail", null, GOOD, options()).definition().version())
                    .isEqualTo(2);
            assertThat(catalog.lookUps).hasValue(2);
        }

        @Test
        void a_changed_schema_counts_after_a_second() {
            elsewhere("mail@1");
            jobs.spec("mail", 1, GOOD, options());
            declare(store.catalog().find(new DefinitionRef("mail", 1)).orElseThrow(), "false", "true");
            jobs.spec("mail", 1, GOOD, options());
            passes(Duration.ofSeconds(1));
            refused(ErrorCode.INVALID_ARGUMENT, () -> jobs.spec("mail", 1, GOOD, options()));
        }

        @Test
        void an_unknown_one_is_looked_up_again_but_not_at_every_call() {
            refused(ErrorCode.UNKNOWN_DEFINITION, () -> jobs.spec("mail", 1, GOOD, options()));
            elsewhere("mail@1");
            refused(ErrorCode.UNKNOWN_DEFINITION, () -> jobs.spec("mail", 1, GOOD, options()));
            assertThat(catalog.lookUps).hasValue(1);
            passes(Duration.ofMillis(100));
            assertThat(jobs.spec("mail", 1, GOOD, options()).queue()).isEqualTo("mails");
        }

        @Test
        void unknown_names_fill_no_memory() {
            elsewhere("mail@1");
            IntStream.range(0, 3000)
                    .forEach(i ->
                            refused(ErrorCode.UNKNOWN_DEFINITION, () -> jobs.spec("unknown" + i, 1, GOOD, options())));
            refused(ErrorCode.UNKNOWN_DEFINITION, () -> jobs.spec("unknown0", 1, GOOD, options()));
            assertThat(catalog.lookUps).hasValue(3001);
            assertThat(catalog.listings).hasValue(1);
        }
    }

    @Nested
    class Unknown {
        private String expected(String name) {
            LonghaulException refusal =
                    refused(ErrorCode.UNKNOWN_DEFINITION, () -> jobs.spec(name, null, GOOD, options()));
            FieldError error = refusal.errors().get(0);
            assertThat(error.field()).isEqualTo("definitionKey");
            assertThat(error.value()).isEqualTo(name);
            return error.expected();
        }

        @Test
        void unknown_names_come_with_similar_ones() {
            elsewhere("report.daily@1", "report.weekly@1", "import@1", "Mail@1", "mail@2", "a@1", "b@1");

            assertThat(expected("reprt.daily")).isEqualTo("one of report.daily@1");
            assertThat(expected("maill")).isEqualTo("one of Mail@1, mail@2");
            assertThat(expected("imp")).isEqualTo("one of import@1");
            assertThat(expected("report.hourly")).isEqualTo("one of report.daily@1, report.weekly@1");
            assertThat(expected("quite-another")).isEqualTo("a registered definition; none of the 7 is similar");
        }

        @Test
        void unknown_versions_come_with_the_newest_known_ones() {
            elsewhere("mail@1", "mail@2", "mail@3", "mail@4", "mail@5", "mail@6");
            LonghaulException refusal =
                    refused(ErrorCode.UNKNOWN_DEFINITION, () -> jobs.spec("mail", 7, GOOD, options()));

            assertThat(refusal)
                    .hasMessage("definitionKey: mail@7 (expected: one of mail@6, mail@5, mail@4, mail@3, mail@2)");
        }

        @Test
        void unknown_names_come_with_all_known_ones_when_these_are_few() {
            assertThat(expected("x")).isEqualTo("a registered definition; none is registered");
            elsewhere("import@1");
            registry.register(mail("mail", 1));
            passes(Duration.ofSeconds(1));
            assertThat(expected("quite-another")).isEqualTo("one of import@1, mail@1");
        }
    }

    @Nested
    class Batches {
        @Test
        void are_stored_together() {
            elsewhere("mail@1");
            registry.register(mail("import", 1));
            List<Inserted> stored =
                    jobs.enqueueBatch(List.of(aJob("mail", GOOD, options()), aJob("import", GOOD, options())));

            assertThat(stored)
                    .extracting(one -> one.job().spec().definition().toString())
                    .containsExactly("mail@1", "import@1");
            assertThat(stored).allMatch(Inserted::isNew);
        }

        @Test
        void report_all_problems_with_their_index_and_store_nothing() {
            elsewhere("mail@1");
            List<NewJob> batch = List.of(
                    aJob("mail", GOOD, options()),
                    aJob("mail", BAD, options().priority(5000)),
                    aJob("maill", GOOD, options()));
            LonghaulException refusal = refused(ErrorCode.INVALID_ARGUMENT, () -> jobs.enqueueBatch(batch));

            assertThat(refusal.errors())
                    .extracting(FieldError::field)
                    .containsExactly("jobs[1].priority", "jobs[1].params.copies", "jobs[2].definitionKey");
            assertThat(refused(ErrorCode.INVALID_ARGUMENT, () -> jobs.check(batch))
                            .errors())
                    .isEqualTo(refusal.errors());
            assertThat(stored()).isZero();
        }

        @Test
        void report_a_hundred_problems_and_count_the_others() {
            LonghaulException refusal = refused(
                    ErrorCode.UNKNOWN_DEFINITION,
                    () -> jobs.check(IntStream.range(0, 150)
                            .mapToObj(i -> aJob("mail", GOOD, options()))
                            .toList()));
            assertThat(refusal.errors()).hasSize(101);
            assertThat(refusal.errors().get(100)).hasToString("jobs: 50 more problems (expected: none)");
        }

        @Test
        void return_the_first_job_of_an_idempotency_key_in_its_place() {
            elsewhere("mail@1");
            JobOptions once = options().idempotencyKey("k");
            JobId first = jobs.enqueue("mail", 1, GOOD, once).id();
            List<Inserted> stored = jobs.enqueueBatch(List.of(
                    aJob("mail", GOOD, options()),
                    new NewJob("mail", 1, BAD, once),
                    aJob("mail", GOOD, once),
                    aJob("mail", GOOD, options())));

            assertThat(stored).extracting(Inserted::isNew).containsExactly(true, false, false, true);
            assertThat(stored.get(1).job().id()).isEqualTo(first);
            assertThat(stored.get(2).job().id()).isEqualTo(first);
        }

        private static NewJob aJob(String key, String params, JobOptions options) {
            return new NewJob(key, null, params, options);
        }
    }

    @Nested
    class Edit {
        @Test
        void checks_params_against_the_definition_of_the_job() {
            elsewhere("mail@1");
            JobId id = jobs.enqueue("mail", 1, GOOD, options()).id();
            LonghaulException refusal =
                    refused(ErrorCode.INVALID_ARGUMENT, () -> jobs.execute(JobCommand.edit(id, "anna", params(BAD))));
            assertThat(refusal.errors()).extracting(FieldError::field).containsExactly("params.copies");

            String other = GOOD.replace("1", "2");
            assertThat(jobs.execute(JobCommand.edit(id, "anna", params(other)))
                            .spec()
                            .params())
                    .isEqualTo(other);
        }

        @Test
        void accepts_any_params_of_a_job_with_an_unknown_definition() {
            JobSpec spec = JobSpec.of(new DefinitionRef("gone", 1), "{}").build();
            jobs.enqueue(spec);

            assertThat(jobs.execute(JobCommand.edit(spec.id(), null, params(BAD)))
                            .spec()
                            .params())
                    .isEqualTo(BAD);
        }

        @Test
        void needs_a_job() {
            refused(ErrorCode.NOT_FOUND, () -> jobs.execute(JobCommand.edit(JobId.next(), null, params(GOOD))));
        }

        private static JobEdit params(String params) {
            return new JobEdit(null, null, null, params, null, null);
        }
    }

    /** A process without the code, such as a server that runs no jobs. */
    @Nested
    class WithoutTheCode {
        private static final String MARKED = "{\"properties\":{\"pin\":{\"writeOnly\":true}}}";

        private void pay() {
            var defaults = new KnownDefinition.Defaults("default", 3, Duration.ofHours(1), 0);
            store.catalog()
                    .register(List.of(new KnownDefinition(
                            new DefinitionRef("pay", 1), MARKED, MARKED, defaults, null, Instant.EPOCH)));
        }

        private void declare(String schema) {
            store.catalog()
                    .declare(
                            new Declaration(new DefinitionRef("pay", 1), schema, schema, null, null, null, null),
                            Set.of(Declaration.Field.PARAMS_SCHEMA, Declaration.Field.RESULT_SCHEMA),
                            "anna");
        }

        @Test
        void a_declared_schema_adds_secret_places_and_removes_none() {
            pay();
            declare("{\"properties\":{\"card\":{\"writeOnly\":true}}}");

            Job job = jobs.enqueue("pay", null, "{\"pin\":\"1234\",\"card\":\"4111\",\"size\":7}", options());
            assertThat(job.spec().secrets()).contains("pin", "card");
            assertThat(jobs.paramsToShow(job)).isEqualTo("{\"pin\":\"***\",\"card\":\"***\",\"size\":7}");
        }

        @Test
        void a_declared_schema_without_marks_leaves_those_of_the_registered_one() {
            pay();
            declare("{}");

            Job job = jobs.enqueue("pay", 1, "{\"pin\":\"1234\"}", options());
            assertThat(job.spec().secrets()).contains("pin");
            declare("true");
            passes(Duration.ofSeconds(2));
            assertThat(jobs.paramsToShow(job)).isEqualTo("{\"pin\":\"***\"}");
        }
    }
}
