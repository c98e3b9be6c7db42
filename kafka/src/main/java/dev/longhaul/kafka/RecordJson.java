package dev.longhaul.kafka;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.annotation.JsonInclude;
import com.fasterxml.jackson.core.JsonProcessingException;
import dev.longhaul.access.Actor;
import dev.longhaul.error.ErrorCode;
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
import dev.longhaul.json.Json;
import dev.longhaul.spi.JobCommand;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * The form of a record in the topic: one JSON object with the version of the form. It outlives the process that wrote it,
 * so its fields are separate from the classes of core. A reader rejects a version or a field that it does not know, because
 * ignoring it could change what the caller requested.
 */
final class RecordJson {
    private static final int VERSION = 1;

    private RecordJson() {}

    static byte[] write(IntakeRecord record) {
        return Json.write(form(record)).getBytes(UTF_8);
    }

    /** Throws {@link LonghaulException} if the bytes are not a record that this version understands. */
    static IntakeRecord read(byte[] bytes) {
        String text = new String(bytes, UTF_8);
        RecordForm form;
        try {
            form = Json.read(text, RecordForm.class);
            if (form != null && form.v == VERSION) {
                return form.record();
            }
        } catch (RuntimeException e) {
            // Any failure is one of this record: it must not stop the reader of all others.
            throw unreadable(reason(text, e), e);
        }
        throw unreadable(form == null ? "null" : version(form.v), null);
    }

    /** Names the version as the reason if it is another one: the record may have fields of that version. */
    private static String reason(String text, RuntimeException failure) {
        try {
            int version = Json.tree(text).path("v").asInt(VERSION);
            return version == VERSION ? String.valueOf(failure.getMessage()) : version(version);
        } catch (JsonProcessingException e) {
            return "not JSON";
        }
    }

    private static String version(int version) {
        return "version: " + version + " (expected: " + VERSION + ")";
    }

    private static LonghaulException unreadable(String why, @Nullable Throwable cause) {
        return new LonghaulException(ErrorCode.INVALID_ARGUMENT, "intake record: " + why, cause);
    }

    /** The JSON library passes null for a missing field. */
    private static void required(String field, @Nullable Object value) {
        if (value == null) {
            throw unreadable(field + ": missing (expected: a value)", null);
        }
    }

    private static RecordForm form(IntakeRecord record) {
        Actor actor = record.actor();
        ActorForm by = actor == null ? null : new ActorForm(actor.name(), actor.keyId());
        if (record instanceof IntakeRecord.Create create) {
            return new RecordForm(VERSION, by, SpecForm.of(create.spec()), null, null);
        }
        JobCommand command = ((IntakeRecord.Change) record).command();
        if (command instanceof JobCommand.Cancel cancel) {
            return new RecordForm(VERSION, by, null, CancelForm.of(cancel), null);
        }
        if (command instanceof JobCommand.Edit edit) {
            return new RecordForm(VERSION, by, null, null, EditForm.of(edit));
        }
        throw new IllegalArgumentException("command: " + command.action() + " (expected: job.cancel or job.edit)");
    }

    /** Exactly one of {@code create}, {@code cancel} and {@code edit} is set. */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record RecordForm(
            int v,
            @Nullable ActorForm actor,
            @Nullable SpecForm create,
            @Nullable CancelForm cancel,
            @Nullable EditForm edit) {

        IntakeRecord record() {
            Actor by = actor == null ? null : new Actor(actor.name, actor.keyId);
            int contents = (create == null ? 0 : 1) + (cancel == null ? 0 : 1) + (edit == null ? 0 : 1);
            if (contents == 1) {
                if (create != null) {
                    return new IntakeRecord.Create(create.spec(), by);
                }
                JobCommand command = cancel != null ? cancel.command() : edit != null ? edit.command() : null;
                if (command != null) {
                    return new IntakeRecord.Change(command, by);
                }
            }
            throw unreadable(contents + " contents (expected: one of create, cancel and edit)", null);
        }
    }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record ActorForm(String name, @Nullable UUID keyId) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record SpecForm(
            UUID id,
            String definition,
            int version,
            String params,
            String queue,
            int priority,
            @Nullable TimeForm run,
            int maxAttempts,
            Duration timeout,
            @Nullable String name,
            @Nullable String idempotencyKey,
            @Nullable String correlationId,
            Map<String, String> labels,
            boolean hold,
            @Nullable String createdBy,
            @Nullable FireForm schedule,
            @Nullable String traceparent,
            @Nullable WebhookForm webhook,
            @Nullable String secrets,
            boolean keyOfVersion) {

        SpecForm {
            required("id", id);
            required("definition", definition);
            required("params", params);
            required("queue", queue);
            required("timeout", timeout);
            required("labels", labels);
        }

        static SpecForm of(JobSpec spec) {
            ScheduleFire fire = spec.schedule();
            return new SpecForm(
                    spec.id().value(),
                    spec.definition().key(),
                    spec.definition().version(),
                    spec.params(),
                    spec.queue(),
                    spec.priority(),
                    TimeForm.of(spec.runTime()),
                    spec.maxAttempts(),
                    spec.timeout(),
                    spec.name(),
                    spec.idempotencyKey(),
                    spec.correlationId(),
                    spec.labels(),
                    spec.hold(),
                    spec.createdBy(),
                    fire == null ? null : new FireForm(fire.scheduleKey(), fire.fireAt()),
                    spec.traceparent(),
                    WebhookForm.of(spec.webhook()),
                    spec.secrets(),
                    spec.keyOfVersion());
        }

        JobSpec spec() {
            return JobSpec.of(new DefinitionRef(definition, version), params)
                    .id(new JobId(id))
                    .queue(queue)
                    .priority(priority)
                    .runTime(run == null ? RunAt.now() : run.time())
                    .maxAttempts(maxAttempts)
                    .timeout(timeout)
                    .name(name)
                    .idempotencyKey(idempotencyKey)
                    .correlationId(correlationId)
                    .labels(labels)
                    .hold(hold)
                    .createdBy(createdBy)
                    .schedule(schedule == null ? null : new ScheduleFire(schedule.key, schedule.at))
                    .traceparent(traceparent)
                    .webhook(webhook == null ? null : webhook.webhook())
                    .secrets(secrets)
                    .keyOfVersion(keyOfVersion)
                    .build();
        }
    }

    /** A run time; both fields are null for "now". */
    @JsonInclude(JsonInclude.Include.NON_NULL)
    record TimeForm(@Nullable Instant at, @Nullable Duration after) {
        static TimeForm of(RunAt time) {
            return new TimeForm(time.at(), time.after());
        }

        RunAt time() {
            return new RunAt(at, after);
        }
    }

    record FireForm(String key, Instant at) {}

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record WebhookForm(
            String url, List<String> events, @Nullable String secret) {
        static @Nullable WebhookForm of(@Nullable JobWebhook webhook) {
            return webhook == null
                    ? null
                    : new WebhookForm(
                            webhook.url(),
                            webhook.events().stream()
                                    .map(WebhookEvent::text)
                                    .sorted()
                                    .toList(),
                            webhook.secret());
        }

        JobWebhook webhook() {
            return new JobWebhook(
                    url,
                    events.stream()
                            .map(event -> WebhookEvent.of(event)
                                    .orElseThrow(
                                            () -> unreadable("event: " + event + " (expected: a known event)", null)))
                            .collect(Collectors.toSet()),
                    secret);
        }
    }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record CancelForm(
            UUID id,
            @Nullable String by,
            @Nullable String reason,
            @Nullable Duration grace) {
        CancelForm {
            required("id", id);
        }

        static CancelForm of(JobCommand.Cancel cancel) {
            return new CancelForm(cancel.id().value(), cancel.by(), cancel.reason(), cancel.grace());
        }

        JobCommand command() {
            return JobCommand.cancel(new JobId(id), by, reason, grace);
        }
    }

    @JsonInclude(JsonInclude.Include.NON_NULL)
    record EditForm(
            UUID id,
            @Nullable String by,
            @Nullable String name,
            @Nullable TimeForm run,
            @Nullable Integer priority,
            @Nullable String params,
            @Nullable Map<String, String> labels,
            @Nullable Integer maxAttempts,
            @Nullable String secrets) {
        EditForm {
            required("id", id);
        }

        static EditForm of(JobCommand.Edit command) {
            JobEdit edit = command.edit();
            RunAt run = edit.runTime();
            return new EditForm(
                    command.id().value(),
                    command.by(),
                    edit.name(),
                    run == null ? null : TimeForm.of(run),
                    edit.priority(),
                    edit.params(),
                    edit.labels(),
                    edit.maxAttempts(),
                    edit.secrets());
        }

        JobCommand command() {
            RunAt time = run == null ? null : run.time();
            return JobCommand.edit(
                    new JobId(id), by, new JobEdit(name, time, priority, params, labels, maxAttempts, secrets));
        }
    }
}
