package dev.longhaul.job;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowableOfType;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import java.time.Duration;
import java.time.Instant;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobSpecTest {
    private static final DefinitionRef REPORT = new DefinitionRef("report", 1);

    private static JobSpec.Builder spec() {
        return JobSpec.of(REPORT, "{}");
    }

    private static LonghaulException refusalOf(JobSpec.Builder spec) {
        return catchThrowableOfType(LonghaulException.class, spec::build);
    }

    @Nested
    class Defaults {
        @Test
        void are_those_of_the_contract() {
            JobSpec spec = spec().build();

            assertThat(spec.queue()).isEqualTo("default");
            assertThat(spec.priority()).isZero();
            assertThat(spec.maxAttempts()).isEqualTo(3);
            assertThat(spec.timeout()).isEqualTo(Duration.ofHours(1));
            assertThat(spec.runTime()).isEqualTo(RunAt.now());
            assertThat(spec.hold()).isFalse();
            assertThat(spec.labels()).isEmpty();
        }

        @Test
        void come_with_an_id_of_their_own() {
            assertThat(spec().build().id()).isNotEqualTo(spec().build().id());
        }
    }

    @Nested
    class Problems {
        @Test
        void are_all_reported_at_once() {
            LonghaulException refusal = refusalOf(spec().queue("no spaces")
                    .priority(1001)
                    .maxAttempts(0)
                    .timeout(Duration.ZERO)
                    .params("\u0000")
                    .name("")
                    .idempotencyKey("k".repeat(201))
                    .correlationId("c\u0000")
                    .labels(Map.of("bad key", "1", "ok", "v".repeat(201))));

            assertThat(refusal.code()).isEqualTo(ErrorCode.INVALID_ARGUMENT);
            assertThat(refusal.errors())
                    .extracting(FieldError::field)
                    .containsExactly(
                            "queue",
                            "priority",
                            "maxAttempts",
                            "timeout",
                            "params",
                            "name",
                            "idempotencyKey",
                            "correlationId",
                            "labels",
                            "labels.ok");
            assertThat(refusal).hasMessageContaining("priority: 1001 (expected: -1000 to 1000)");
        }

        @Test
        void include_params_that_are_too_large() {
            String largest = "\"" + "x".repeat(Limits.JSON_BYTES - 2) + "\"";

            assertThat(spec().params(largest).build().params()).isEqualTo(largest);
            assertThat(refusalOf(spec().params(largest + " ")).code()).isEqualTo(ErrorCode.TOO_LARGE);
            assertThat(refusalOf(spec().params("ü".repeat(Limits.JSON_BYTES / 2 + 1)))
                            .code())
                    .isEqualTo(ErrorCode.TOO_LARGE);
        }

        @Test
        void include_a_timeout_of_part_of_a_second() {
            assertThat(refusalOf(spec().timeout(Duration.ofMillis(1500))).errors())
                    .extracting(FieldError::field)
                    .containsExactly("timeout");
        }

        @Test
        void include_too_many_labels() {
            var labels = new HashMap<String, String>();
            for (int i = 0; i <= Limits.LABELS; i++) {
                labels.put("label" + i, "v");
            }

            assertThat(refusalOf(spec().labels(labels)).errors())
                    .containsExactly(new FieldError("labels", "17", "<= 16"));
        }

        @Test
        void do_not_include_the_limits_themselves() {
            assertThat(List.of(
                            spec().priority(-1000).maxAttempts(1).timeout(Duration.ofSeconds(1)),
                            spec().priority(1000).maxAttempts(1000).timeout(Duration.ofDays(30)),
                            spec().name("n".repeat(200)).queue("q".repeat(100))))
                    .allSatisfy(builder -> assertThat(builder.build()).isNotNull());
        }
    }

    @Nested
    class Copies {
        @Test
        void are_equal() {
            JobSpec spec = spec().queue("slow")
                    .priority(5)
                    .runTime(RunAt.after(Duration.ofMinutes(1)))
                    .maxAttempts(7)
                    .timeout(Duration.ofSeconds(9))
                    .name("n")
                    .idempotencyKey("i")
                    .correlationId("c")
                    .labels(Map.of("b", "2", "a", "1"))
                    .hold(true)
                    .createdBy("anna")
                    .schedule(new ScheduleFire("nightly", Instant.EPOCH))
                    .traceparent("t")
                    .build();

            assertThat(spec.toBuilder().build()).isEqualTo(spec);
        }

        @Test
        void that_are_edited_differ_only_in_the_edited_fields() {
            JobSpec spec = spec().name("n").labels(Map.of("a", "1")).build();
            var edit = new JobEdit(null, null, 9, null, null, null);

            assertThat(edit.applyTo(spec))
                    .isEqualTo(spec.toBuilder().priority(9).build());
            assertThat(JobEdit.NOTHING.applyTo(spec)).isEqualTo(spec);
        }
    }

    @Nested
    class RunTimes {
        private final Instant now = Instant.parse("2026-05-01T00:00:00Z");

        @Test
        void are_never_before_now() {
            assertThat(RunAt.now().resolve(now)).isEqualTo(now);
            assertThat(RunAt.at(now.minusSeconds(1)).resolve(now)).isEqualTo(now);
            assertThat(RunAt.at(now.plusSeconds(1)).resolve(now)).isEqualTo(now.plusSeconds(1));
            assertThat(RunAt.after(Duration.ofSeconds(1)).resolve(now)).isEqualTo(now.plusSeconds(1));
        }

        @Test
        void are_either_a_time_or_a_delay() {
            assertThat(catchThrowableOfType(LonghaulException.class, () -> new RunAt(now, Duration.ZERO)))
                    .isNotNull();
            assertThat(catchThrowableOfType(LonghaulException.class, () -> RunAt.after(Duration.ofSeconds(-1))))
                    .isNotNull();
        }
    }

    @Nested
    class Definitions {
        @Test
        void are_written_with_their_version() {
            assertThat(DefinitionRef.parse("report@7")).isEqualTo(new DefinitionRef("report", 7));
            assertThat(DefinitionRef.parse("report")).isEqualTo(new DefinitionRef("report", 1));
            assertThat(new DefinitionRef("a.b-c_d", 2)).hasToString("a.b-c_d@2");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {"", "@1", "report@", "report@0", "report@x", "report@-1", "report@1@x", ".report", "a b"})
        void are_rejected_when_malformed(String text) {
            assertThat(catchThrowableOfType(LonghaulException.class, () -> DefinitionRef.parse(text)))
                    .isNotNull();
        }
    }
}
