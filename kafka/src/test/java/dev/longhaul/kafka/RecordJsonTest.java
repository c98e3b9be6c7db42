package dev.longhaul.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatIllegalArgumentException;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.node.ObjectNode;
import dev.longhaul.access.Actor;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.intake.IntakeRecord;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.JobWebhook;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.ScheduleFire;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.spi.JobCommand;
import java.lang.reflect.RecordComponent;
import java.time.Duration;
import java.time.Instant;
import java.util.Base64;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;
import org.junit.jupiter.params.provider.ValueSource;

class RecordJsonTest {
    private static final JobId ID = JobId.parse("01a1e2d8-0000-7000-8000-000000000001");
    private static final Actor ACTOR = new Actor("nightly", UUID.fromString("01a1e2d8-0000-7000-8000-0000000000aa"));
    private static final ObjectMapper JSON = new ObjectMapper();

    private static final JobSpec PLAIN =
            JobSpec.of(new DefinitionRef("plain", 1), "null").build();

    private static final JobSpec FULL = JobSpec.of(
                    new DefinitionRef("report", 3), "{\"a\":[1.50,\"\u00e9\\n\ud83d\ude00\"]}")
            .id(ID)
            .queue("slow")
            .priority(-7)
            .runTime(RunAt.at(Instant.parse("2026-12-01T00:00:00.123456789Z")))
            .maxAttempts(9)
            .timeout(Duration.ofSeconds(3725))
            .name("Report of \"Ann\"")
            .idempotencyKey("order-7")
            .correlationId("trace-1")
            .labels(Map.of("customer", "Zo\u00eb", "a.b", "c"))
            .hold(true)
            .createdBy("ann")
            .schedule(new ScheduleFire("nightly", Instant.parse("2026-11-30T23:00:00Z")))
            .traceparent("00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01")
            .webhook(new JobWebhook(
                    "https://hooks.example.com/7",
                    Set.of(WebhookEvent.JOB_FAILED, WebhookEvent.JOB_ENDED),
                    "whsec_" + Base64.getEncoder().encodeToString("0123456789012345678901234".getBytes(UTF_8))))
            .secrets("{\"params\":[\"/a\"]}")
            .keyOfVersion(true)
            .build();

    private static final JobEdit FULL_EDIT = new JobEdit(
            "new name",
            RunAt.after(Duration.ofMillis(1500)),
            3,
            "{\"b\":2}",
            Map.of("x", "y"),
            4,
            "{\"params\":[\"/b\"]}");

    private static List<IntakeRecord> records() {
        return List.of(
                new IntakeRecord.Create(FULL, ACTOR),
                new IntakeRecord.Create(PLAIN, null),
                new IntakeRecord.Create(
                        PLAIN.toBuilder()
                                .runTime(RunAt.after(Duration.ofDays(2)))
                                .build(),
                        Actor.named("x")),
                change(JobCommand.cancel(ID, "ann", "too late", Duration.ofSeconds(5))),
                change(JobCommand.cancel(ID, null, null, null)),
                change(JobCommand.edit(ID, "ann", FULL_EDIT)),
                change(JobCommand.edit(ID, null, JobEdit.NOTHING)),
                change(JobCommand.edit(ID, null, JobEdit.runTime(RunAt.now()))));
    }

    private static IntakeRecord change(JobCommand command) {
        return new IntakeRecord.Change(command, ACTOR);
    }

    @Nested
    class Write {
        @ParameterizedTest
        @MethodSource("dev.longhaul.kafka.RecordJsonTest#records")
        void every_record_is_read_as_it_was_written(IntakeRecord record) {
            assertThat(RecordJson.read(RecordJson.write(record))).isEqualTo(record);
        }

        /** A field that is added to a spec or an edit, and not to its form, would be lost. */
        @Test
        void the_records_above_set_every_field() throws ReflectiveOperationException {
            for (RecordComponent field : JobSpec.class.getRecordComponents()) {
                assertThat(field.getAccessor().invoke(FULL))
                        .as(field.getName())
                        .isNotEqualTo(field.getAccessor().invoke(PLAIN));
            }
            for (RecordComponent field : JobEdit.class.getRecordComponents()) {
                assertThat(field.getAccessor().invoke(FULL_EDIT))
                        .as(field.getName())
                        .isNotNull();
            }
        }

        /** Records of this form are in topics for days: change the version with the form. */
        @Test
        void the_form_is_stable() {
            assertThat(new String(RecordJson.write(records().get(0)), UTF_8)).isEqualTo("""
                    {"v":1,"actor":{"name":"nightly","keyId":"01a1e2d8-0000-7000-8000-0000000000aa"},\
                    "create":{"id":"01a1e2d8-0000-7000-8000-000000000001","definition":"report","version":3,\
                    "params":"{\\"a\\":[1.50,\\"\u00e9\\\\n\ud83d\ude00\\"]}","queue":"slow","priority":-7,\
                    "run":{"at":"2026-12-01T00:00:00.123456789Z"},"maxAttempts":9,"timeout":"PT1H2M5S",\
                    "name":"Report of \\"Ann\\"","idempotencyKey":"order-7","correlationId":"trace-1",\
                    "labels":{"a.b":"c","customer":"Zo\u00eb"},"hold":true,"createdBy":"ann",\
                    "schedule":{"key":"nightly","at":"2026-11-30T23:00:00Z"},\
                    "traceparent":"00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01",\
                    "webhook":{"url":"https://hooks.example.com/7","events":["job.ended","job.failed"],\
                    "secret":"whsec_MDEyMzQ1Njc4OTAxMjM0NTY3ODkwMTIzNA=="},"secrets":"{\\"params\\":[\\"/a\\"]}",\
                    "keyOfVersion":true}}""");
            assertThat(new String(RecordJson.write(records().get(3)), UTF_8)).isEqualTo("""
                    {"v":1,"actor":{"name":"nightly","keyId":"01a1e2d8-0000-7000-8000-0000000000aa"},\
                    "cancel":{"id":"01a1e2d8-0000-7000-8000-000000000001","by":"ann","reason":"too late","grace":"PT5S"}}""");
            assertThat(new String(RecordJson.write(records().get(5)), UTF_8)).isEqualTo("""
                    {"v":1,"actor":{"name":"nightly","keyId":"01a1e2d8-0000-7000-8000-0000000000aa"},\
                    "edit":{"id":"01a1e2d8-0000-7000-8000-000000000001","by":"ann","name":"new name",\
                    "run":{"after":"PT1.5S"},"priority":3,"params":"{\\"b\\":2}","labels":{"x":"y"},"maxAttempts":4,\
                    "secrets":"{\\"params\\":[\\"/b\\"]}"}}""");
        }

        @Test
        void commands_that_could_run_a_job_twice_are_rejected() {
            for (JobCommand command : List.of(
                    JobCommand.retry(ID, null),
                    JobCommand.release(ID, null),
                    JobCommand.runNow(ID, null),
                    JobCommand.hold(ID, null))) {
                assertThatIllegalArgumentException()
                        .isThrownBy(() -> RecordJson.write(change(command)))
                        .withMessageContaining(command.action());
            }
        }
    }

    @Nested
    class Read {
        @Test
        void another_version_is_named_as_the_reason_even_if_it_has_other_fields() {
            rejected("{\"v\":2,\"replace\":{}}", "version: 2 (expected: 1)");
            rejected("{\"v\":2}", "version: 2 (expected: 1)");
        }

        @ParameterizedTest
        @ValueSource(
                strings = {
                    "",
                    "null",
                    "[]",
                    "{",
                    "\u0000\u0001",
                    "{\"v\":1}",
                    "{\"cancel\":{\"id\":\"01a1e2d8-0000-7000-8000-000000000001\"}}",
                    "{\"v\":1,\"cancel\":{\"id\":\"nonsense\"}}",
                    "{\"v\":1,\"cancel\":{}}",
                    "{\"v\":1,\"cancel\":{\"id\":\"01a1e2d8-0000-7000-8000-000000000001\"},"
                            + "\"edit\":{\"id\":\"01a1e2d8-0000-7000-8000-000000000001\"}}"
                })
        void anything_but_one_record_is_rejected(String text) {
            rejected(text, "intake record");
        }

        @Test
        void a_field_that_is_unknown_is_rejected_wherever_it_is() throws JsonProcessingException {
            for (IntakeRecord record : records()) {
                ObjectNode form = form(record);
                for (ObjectNode place : List.of(form, (ObjectNode) content(form))) {
                    place.put("surprise", 1);
                    rejected(form.toString(), "surprise");
                    place.remove("surprise");
                }
            }
        }

        @Test
        void a_field_that_is_required_may_not_be_missing() throws JsonProcessingException {
            for (String field : List.of(
                    "id",
                    "definition",
                    "version",
                    "params",
                    "queue",
                    "priority",
                    "maxAttempts",
                    "timeout",
                    "labels",
                    "hold",
                    "keyOfVersion")) {
                ObjectNode form = form(records().get(0));
                ((ObjectNode) form.get("create")).remove(field);
                rejected(form.toString(), "intake record");
            }
        }

        private static ObjectNode form(IntakeRecord record) throws JsonProcessingException {
            return (ObjectNode) JSON.readTree(new String(RecordJson.write(record), UTF_8));
        }

        private static JsonNode content(JsonNode form) {
            return form.has("create") ? form.get("create") : form.has("cancel") ? form.get("cancel") : form.get("edit");
        }

        private static void rejected(String text, String reason) {
            assertThatThrownBy(() -> RecordJson.read(text.getBytes(UTF_8)))
                    .as(text)
                    .isInstanceOf(LonghaulException.class)
                    .hasMessageContaining(reason);
        }
    }
}
