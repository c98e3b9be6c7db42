package dev.longhaul;

import static dev.longhaul.JobOptions.options;
import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.text.Names;
import dev.longhaul.job.Failure;
import dev.longhaul.job.JobId;
import dev.longhaul.job.Limits;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.postgres.database.PatientDataSource;
import dev.longhaul.testing.TestPostgres;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.assertj.core.api.ThrowableAssert.ThrowingCallable;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Invalid input is rejected with the value and the expectation, and nothing is stored. */
class BadInputTest {
    record Mail(String address, int copies) {}

    record Sent(@Nullable Object receipt) {}

    /** Converting it to JSON never ends. */
    static final class Endless {
        public Endless getSelf() {
            return this;
        }
    }

    static final JobDefinition<Mail, Sent> MAIL =
            JobDefinition.of("mail", Mail.class, Sent.class).handler((params, context) -> new Sent("ok"));

    static final JobDefinition<Mail, Sent> STRICT = JobDefinition.of("mail.strict", Mail.class, Sent.class)
            .paramsSchema("""
                    {"type": "object", "properties": {"address": {"type": "string", "maxLength": 20},
                     "copies": {"type": "integer", "minimum": 1}}}""")
            .handler((params, context) -> new Sent("ok"));

    static final JobDefinition<Mail, Sent> ENDLESS = JobDefinition.of("mail.endless", Mail.class, Sent.class)
            .handler((params, context) -> new Sent(new Endless()));

    static final JobDefinition<Mail, Sent> LARGE = JobDefinition.of("mail.large", Mail.class, Sent.class)
            .handler((params, context) -> new Sent("x".repeat(Limits.JSON_BYTES)));

    static final JobDefinition<Mail, Sent> BAD_STEP = JobDefinition.of("mail.bad-step", Mail.class, Sent.class)
            .maxAttempts(1)
            .handler((params, context) -> new Sent(context.step("no good name", String.class, () -> "done")));

    static final JobDefinition<Mail, Sent> LARGE_STEP = JobDefinition.of("mail.large-step", Mail.class, Sent.class)
            .maxAttempts(1)
            .handler((params, context) ->
                    new Sent(context.step("large", String.class, () -> "x".repeat(Limits.JSON_BYTES))));

    private static final Mail GOOD = new Mail("ann@example.org", 1);

    @Nested
    class OnMemory extends Refusals {
        @Override
        LonghaulBuilder builder() {
            return Longhaul.builder().memory();
        }
    }

    @Nested
    class OnPostgres extends Refusals {
        private final HikariDataSource pool =
                TestPostgres.pool(new PatientDataSource(TestPostgres.get().newDatabase(PostgresStore::migrate)), 8);

        @Override
        LonghaulBuilder builder() {
            return Longhaul.builder().postgres(pool);
        }

        @Override
        void close() {
            super.close();
            pool.close();
        }
    }

    /** The same on each store, which all tests share: a rejected call leaves it unchanged. */
    @TestInstance(TestInstance.Lifecycle.PER_CLASS)
    abstract static class Refusals {
        @SuppressWarnings("NullAway.Init")
        Longhaul longhaul;

        private int storedBefore;

        abstract LonghaulBuilder builder();

        @BeforeAll
        void start() {
            longhaul = builder()
                    .register(MAIL, STRICT, ENDLESS, LARGE, BAD_STEP, LARGE_STEP)
                    .enqueueOnly()
                    .start();
        }

        @BeforeEach
        void count() {
            storedBefore = stored();
        }

        @AfterAll
        void close() {
            longhaul.close();
        }

        // Params

        @Test
        @SuppressWarnings("NullAway") // That is the mistake.
        void a_missing_value() {
            refused(() -> longhaul.later(MAIL, new Mail(null, 1)), "params.address", "null", "string");
            refused(() -> longhaul.later(MAIL, null), "params", "null", "object");
        }

        @Test
        void a_value_that_a_given_schema_forbids() {
            refused(() -> longhaul.later(STRICT, new Mail("ann@example.org", 0)), "params.copies", "0", "1");
            refused(
                    () -> longhaul.later(STRICT, new Mail("a-very-long-name@example.org", 1)),
                    "params.address",
                    "a-very-long-name@example.org",
                    "20");
        }

        @Test
        void every_problem_is_reported_at_once() {
            assertThatThrownBy(() -> longhaul.later(STRICT, new Mail("a-very-long-name@example.org", 0)))
                    .isInstanceOfSatisfying(
                            LonghaulException.class,
                            e -> assertThat(e.errors())
                                    .extracting(error -> error.field())
                                    .containsExactlyInAnyOrder("params.address", "params.copies"));
            nothingIsStored();
        }

        @Test
        void params_over_the_limit() {
            assertThatThrownBy(() -> longhaul.later(MAIL, new Mail("x".repeat(Limits.JSON_BYTES), 1)))
                    .isInstanceOfSatisfying(
                            LonghaulException.class, e -> assertThat(e.code()).isEqualTo(ErrorCode.TOO_LARGE))
                    .hasMessageContaining("params: ")
                    .hasMessageContaining("expected: <= 262144 bytes");
            nothingIsStored();
        }

        @Test
        void one_invalid_job_rejects_the_whole_batch() {
            List<Mail> mails = List.of(GOOD, new Mail("bob@example.org", 0), GOOD);
            refused(() -> longhaul.laterAll(STRICT, mails, options()), "params.copies", "0", "1");
            refused(() -> longhaul.batch(STRICT, mails, BatchOptions.defaults()), "params.copies", "0", "1");
        }

        @Test
        void params_of_jobs_that_run_now_are_checked_too() {
            refused(() -> longhaul.now(STRICT, new Mail("ann", 0)), "params.copies", "0", "1");
            refused(() -> longhaul.nowUnstored(STRICT, new Mail("ann", 0)), "params.copies", "0", "1");
        }

        // Definitions

        @Test
        void a_definition_that_is_not_registered() {
            JobDefinition<Mail, Sent> other =
                    JobDefinition.of("mail.other", Mail.class, Sent.class).handler((params, context) -> new Sent(1));
            ThrowingCallable[] asking = {
                () -> longhaul.later(other, GOOD),
                () -> longhaul.now(other, GOOD),
                () -> longhaul.nowUnstored(other, GOOD)
            };
            for (ThrowingCallable one : asking) {
                assertThatThrownBy(one)
                        .isInstanceOfSatisfying(
                                LonghaulException.class,
                                e -> assertThat(e.code()).isEqualTo(ErrorCode.UNKNOWN_DEFINITION))
                        .hasMessageContaining(
                                "definitionKey: mail.other@1 (expected: a definition that this process has registered; add");
            }
            nothingIsStored();
        }

        @Test
        void a_definition_that_is_registered_twice() {
            refused(() -> builder().register(MAIL, MAIL), "definition", "mail@1", "registered once");
        }

        @Test
        void a_job_of_another_definition() {
            JobId id = longhaul.later(MAIL, GOOD);
            assertThatThrownBy(() -> longhaul.runOne(STRICT, id))
                    .hasMessageContaining("jobId: " + id)
                    .hasMessageContaining("expected: a job of mail.strict, not of mail");
            assertThat(longhaul.find(id).orElseThrow().tally().attempts()).isZero();
        }

        // Options

        @Test
        void invalid_times() {
            refused(options().delay(ofSeconds(-1)), "delay", "PT-1S", "0 to 3650 days");
            refused(options().delay(Duration.ofDays(4000)), "delay", "PT96000H", "0 to 3650 days");
            refused(options().runAt(Instant.parse("1969-01-01T00:00:00Z")), "runAt", "1969", "between 1970 and 2200");
            Instant tomorrow = Instant.now().plus(Duration.ofDays(1));
            refused(
                    options().runAt(tomorrow).delay(ofSeconds(1)),
                    "runAt",
                    tomorrow.toString(),
                    "either runAt or delay, not both");
            refused(options().timeout(Duration.ofMillis(1500)), "timeout", "PT1.5S", "whole seconds");
        }

        @ParameterizedTest
        @ValueSource(strings = {"", "no good", "-first", "späti", "a/b"})
        void names_outside_the_rule(String name) {
            refused(options().queue(name), "queue", name, Names.RULE);
            refused(options().labels(Map.of(name, "value")), "labels", name, Names.RULE);
        }

        @Test
        void labels_over_their_limits() {
            var labels = new HashMap<String, String>();
            for (int i = 0; i < 17; i++) {
                labels.put("label" + i, "value");
            }
            refused(options().labels(labels), "labels", "17", "<= 16");
            refused(options().labels(Map.of("tenant", "x".repeat(201))), "labels.tenant", "xxx", "1 to 200 characters");
        }

        @Test
        void numbers_outside_their_range() {
            refused(options().priority(1001), "priority", "1001", "-1000 to 1000");
            refused(options().priority(-1001), "priority", "-1001", "-1000 to 1000");
            refused(options().maxAttempts(0), "maxAttempts", "0", "1 to 1000");
        }

        @Test
        void a_time_for_a_job_that_runs_now() {
            refused(
                    () -> longhaul.now(MAIL, GOOD, options().delay(ofSeconds(1))),
                    "delay",
                    "PT1S",
                    "none; it runs now");
            refused(() -> longhaul.now(MAIL, GOOD, options().hold(true)), "hold", "true", "false; it runs now");
        }

        @Test
        void ticks_and_batches_of_no_size() {
            refused(() -> longhaul.tick(0), "max", "0", "1 to 100");
            refused(() -> BatchOptions.concurrency(0), "concurrency", "0", "1 to 1000");
        }

        // Results of the code

        @Test
        void a_result_that_is_not_json_fails_the_job_permanently() {
            fails(ENDLESS, Failure.INVALID_RESULT, "receipt.self refers to itself, which JSON cannot show");
        }

        @Test
        void a_result_over_the_limit_fails_the_job_permanently() {
            fails(LARGE, Failure.RESULT_TOO_LARGE, "bytes (expected: <= 262144 bytes");
        }

        @Test
        void a_step_outside_the_rules_fails_the_attempt_and_is_not_stored() {
            fails(BAD_STEP, Failure.EXCEPTION, "step: no good name (expected: " + Names.RULE + ")");
            fails(LARGE_STEP, Failure.EXCEPTION, "result: 262146 bytes (expected: <= 262144 bytes)");
        }

        private void fails(JobDefinition<Mail, Sent> definition, String code, String message) {
            JobId id = longhaul.later(definition, GOOD);
            assertThatThrownBy(() -> longhaul.runOne(definition, id).orThrow()).isInstanceOf(JobFailedException.class);
            var job = longhaul.find(id).orElseThrow();
            assertThat(job.failure()).satisfies(failure -> {
                assertThat(failure.code()).isEqualTo(code);
                assertThat(failure.message()).contains(message);
            });
            assertThat(job.result()).isNull();
            assertThat(job.tally().attempts()).isEqualTo(1);
            assertThat(job.state().terminal()).isTrue();
            assertThat(longhaul.store().work().steps(id)).isEmpty();
        }

        private void refused(JobOptions options, String field, String value, String expected) {
            refused(() -> longhaul.later(MAIL, GOOD, options), field, value, expected);
        }

        private void refused(ThrowingCallable call, String field, String value, String expected) {
            assertThatThrownBy(call).isInstanceOfSatisfying(LonghaulException.class, e -> {
                assertThat(e.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
                assertThat(e.errors()).anySatisfy(error -> {
                    assertThat(error.field()).isEqualTo(field);
                    assertThat(error.value()).contains(value);
                    assertThat(error.expected()).contains(expected);
                });
                assertThat(e).hasMessageContaining(field + ": ").hasMessageContaining("(expected: ");
            });
            nothingIsStored();
        }

        private void nothingIsStored() {
            assertThat(stored()).as("stored jobs").isEqualTo(storedBefore);
        }

        private int stored() {
            return longhaul.list(JobQuery.ALL).jobs().size();
        }
    }
}
