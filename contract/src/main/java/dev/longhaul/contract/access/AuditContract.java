package dev.longhaul.contract.access;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.access.Actor;
import dev.longhaul.access.ApiKey;
import dev.longhaul.access.AuditEntry;
import dev.longhaul.access.Rights;
import dev.longhaul.access.Role;
import dev.longhaul.catalog.Declaration;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.Registration;
import dev.longhaul.contract.schedule.ScheduleWords;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.job.WebhookSecret;
import dev.longhaul.schedule.Overlap;
import dev.longhaul.schedule.ScheduleSpec;
import dev.longhaul.webhook.Webhook;
import dev.longhaul.webhook.WebhookSpec;
import dev.longhaul.webhook.WebhookStore;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/**
 * Tests which actions the audit trail records, and with which details. PostgreSQL's tests check that an entry and its
 * action are in one transaction.
 */
public abstract class AuditContract extends ScheduleWords {
    private static final Actor ANNA = new Actor("anna", new UUID(7, 7));
    private static final byte[] HASH = new byte[32];

    /** Returns the newest entry, which must be the only one. */
    private AuditEntry only() {
        List<AuditEntry> trail = trail();
        assertThat(trail).hasSize(1);
        return trail.get(0);
    }

    private List<AuditEntry> trail() {
        return store().access().audit(null, 100);
    }

    private void recorded(String action, Object subject, @Nullable String detail) {
        AuditEntry entry = only();
        assertThat(entry.actor()).isEqualTo("anna");
        assertThat(entry.actorKeyId()).isEqualTo(ANNA.keyId());
        assertThat(entry.action()).isEqualTo(action);
        assertThat(entry.subject()).isEqualTo(subject.toString());
        assertThat(entry.detail()).isEqualTo(detail);
    }

    private static String change(String field, String from, String to) {
        return "{\"changes\":{\"" + field + "\":{\"from\":" + from + ",\"to\":" + to + "}}}";
    }

    @Nested
    class OfJobs {
        @Test
        void a_cancel_records_its_reason() {
            Job job = insert(aJob());
            ANNA.act(() -> cancel(job.id(), "anna", "late", Duration.ofSeconds(5)));
            recorded("job.cancel", job.id(), "{\"grace\":\"5 s\",\"reason\":\"late\"}");
        }

        @Test
        void an_edit_records_the_changed_fields_without_values_of_params() {
            Job job = insert(aJob().params("{\"same\":1,\"token\":\"old-secret\"}"));
            var edit = new JobEdit(null, null, 7, "{\"same\":1,\"token\":\"new-secret\"}", null, null);
            ANNA.act(() -> edit(job.id(), edit, "anna"));
            recorded(
                    "job.edit",
                    job.id(),
                    "{\"changes\":{\"params.token\":{\"from\":\"***\",\"to\":\"***\"},"
                            + "\"priority\":{\"from\":0,\"to\":7}}}");
        }

        @Test
        void hold_release_run_now_and_retry_are_recorded() {
            Job held = insert(aJob().runTime(RunAt.after(HOUR)));
            ANNA.act(() -> hold(held.id(), "anna"));
            ANNA.act(() -> release(held.id(), "anna"));
            ANNA.act(() -> runNow(held.id(), "anna"));
            cancel(held.id(), null, null, null);
            ANNA.act(() -> retry(held.id(), "anna"));
            assertThat(trail())
                    .extracting(AuditEntry::action)
                    .containsExactly("job.retry", "job.runNow", "job.release", "job.hold");
        }

        @Test
        void rejected_and_unattributed_commands_are_not_recorded() {
            Job job = insert(aJob());
            cancel(job.id(), "code", null, null);
            assertRefused(ErrorCode.FAILED_PRECONDITION, () -> ANNA.act(() -> release(job.id(), "anna")));
            assertRefused(ErrorCode.NOT_FOUND, () -> ANNA.act(() -> cancel(newId(), "anna", null, null)));
            assertThat(trail()).isEmpty();
        }
    }

    @Nested
    class OfQueuesAndDefinitions {
        @Test
        void a_pause_records_its_note() {
            ANNA.run(() -> store().queues().pause("slow", "anna", "deploy"));
            recorded("queue.pause", "slow", "{\"note\":\"deploy\"}");
        }

        @Test
        void a_resume_is_recorded() {
            store().queues().pause("slow", null, null);
            ANNA.run(() -> store().queues().resume("slow"));
            recorded("queue.resume", "slow", null);
        }

        @Test
        void a_depth_records_its_previous_value() {
            store().queues().maxDepth("slow", 5);
            ANNA.run(() -> store().queues().maxDepth("slow", 9));
            recorded("queue.maxDepth", "slow", change("maxDepth", "5", "9"));
        }

        private KnownDefinition known(int attempts) {
            var defaults = new KnownDefinition.Defaults("slow", attempts, Duration.ofMinutes(2), 0);
            return new KnownDefinition(REPORT, "true", "true", defaults, null, Instant.EPOCH);
        }

        private Registration registration(int attempts) {
            return new Registration() {
                @Override
                public DefinitionRef ref() {
                    return REPORT;
                }

                @Override
                public KnownDefinition decide(List<Present> versions) {
                    return known(attempts);
                }
            };
        }

        @Test
        void a_deleted_definition_is_recorded() {
            store().catalog().register(List.of(known(3)));
            ANNA.act(() -> store().catalog().delete(REPORT));
            recorded("definition.delete", REPORT, null);
        }

        @Test
        void a_declared_definition_records_its_previous_values() {
            store().catalog().register(List.of(known(3)));
            Declaration change = new Declaration(REPORT, null, null, null, 5, null, null);
            ANNA.act(() -> store().catalog().declare(change, Set.of(Declaration.Field.MAX_ATTEMPTS), "anna"));
            recorded("definition.declare", REPORT, change("maxAttempts", "3", "5"));
        }

        @Test
        void a_new_definition_records_the_fields_that_were_set() {
            Declaration change = new Declaration(REPORT, null, null, null, 5, null, null);
            ANNA.act(() -> store().catalog().declare(change, Set.of(Declaration.Field.MAX_ATTEMPTS), "anna"));
            recorded("definition.declare", REPORT, change("maxAttempts", "null", "5"));
        }

        @Test
        void only_a_registration_that_changes_something_is_recorded() {
            store().catalog().register(List.of(known(3)));
            ANNA.act(() -> store().catalog().decide(List.of(registration(3))));
            assertThat(trail()).isEmpty();
            ANNA.act(() -> store().catalog().decide(List.of(registration(4))));
            recorded("definition.register", REPORT, change("maxAttempts", "3", "4"));
        }
    }

    @Nested
    class OfSchedules {
        @Test
        void every_command_is_recorded() {
            ScheduleSpec spec = hourly("tick");
            ScheduleSpec other = with(spec, Overlap.SKIP);
            ANNA.act(() -> schedules().create(spec, false, "anna"));
            ANNA.act(() -> schedules().edit(spec, other, null, "anna"));
            ANNA.act(() -> schedules().edit(spec, other, null, "anna"));
            ANNA.act(() -> schedules().pause("tick", "anna", "deploy"));
            ANNA.act(() -> schedules().resume("tick"));
            ANNA.act(() -> schedules().trigger("tick", "anna"));
            ANNA.act(() -> schedules().backfill("tick", List.of(now().minus(HOUR)), SECOND, "anna"));
            ANNA.run(() -> schedules().delete("tick"));
            List<AuditEntry> trail = trail();
            assertThat(trail)
                    .extracting(AuditEntry::action)
                    .containsExactly(
                            "schedule.delete",
                            "schedule.backfill",
                            "schedule.trigger",
                            "schedule.resume",
                            "schedule.pause",
                            "schedule.edit",
                            "schedule.create");
            assertThat(trail).extracting(AuditEntry::subject).containsOnly("tick");
            assertThat(trail.get(5).detail()).isEqualTo(change("overlap", "\"ALLOW\"", "\"SKIP\""));
            assertThat(trail.get(4).detail()).isEqualTo("{\"note\":\"deploy\"}");
            assertThat(trail.get(1).detail()).contains("\"jobs\":1");
        }

        @Test
        void upserts_by_code_are_not_recorded() {
            schedules().upsert(hourly("tick"), false);
            assertThat(trail()).isEmpty();
        }
    }

    @Nested
    class OfWebhooks {
        private WebhookSpec to(String url) {
            return new WebhookSpec(
                    url,
                    Set.of(WebhookEvent.JOB_STARTED),
                    Set.of(),
                    Set.of(),
                    Map.of(),
                    List.of(WebhookSecret.random()));
        }

        @Test
        void an_edit_records_the_urls_and_no_secret() {
            WebhookStore webhooks = store().webhooks();
            Webhook webhook = webhooks.create(UUID.randomUUID(), to("https://a.example.com/x"), null);
            WebhookSpec other = to("https://b.example.com/x");
            ANNA.act(() -> webhooks.edit(webhook.id(), before -> new WebhookStore.Settings(other, true)));
            recorded(
                    "webhook.edit",
                    webhook.id(),
                    "{\"changes\":{\"secrets\":{\"from\":\"***\",\"to\":\"***\"},"
                            + "\"url\":{\"from\":\"https://a.example.com/x\",\"to\":\"https://b.example.com/x\"}}}");
        }

        @Test
        void every_command_is_recorded() {
            WebhookStore webhooks = store().webhooks();
            UUID id = UUID.randomUUID();
            ANNA.act(() -> webhooks.create(id, to("https://a.example.com/x"), "anna"));
            UUID delivery = ANNA.act(() -> webhooks.test(id)).id();
            ANNA.act(() -> webhooks.redeliver(delivery));
            ANNA.run(() -> webhooks.delete(id));
            assertThat(trail())
                    .extracting(AuditEntry::action)
                    .containsExactly("webhook.delete", "webhook.redeliver", "webhook.test", "webhook.create");
            assertThat(trail().get(0).detail()).contains("https://a.example.com/x");
        }
    }

    @Nested
    class OfKeysAndSessions {
        @Test
        void keys_and_sessions_are_recorded_with_the_key() {
            UUID id = newId().value();
            ApiKey key = ANNA.act(() -> store().access().add(id, "ci", Rights.of(Role.VIEWER), HASH, "anna"));
            byte[] session = HASH.clone();
            session[0] = 1;
            Actor.of(key).run(() -> store().access().openSession(session, id, HOUR));
            Actor.of(key).run(() -> store().access().closeSession(session));
            Actor.of(key).run(() -> store().access().closeSession(session));
            ANNA.act(() -> store().access().revoke(id, "anna"));
            List<AuditEntry> trail = trail();
            assertThat(trail)
                    .extracting(AuditEntry::action)
                    .containsExactly("key.revoke", "session.close", "session.open", "key.create");
            assertThat(trail).extracting(AuditEntry::subject).containsOnly(id.toString());
            assertThat(trail.get(2).actorKeyId()).isEqualTo(id);
            assertThat(trail.get(3).detail()).isEqualTo("{\"name\":\"ci\",\"role\":\"viewer\"}");
        }
    }
}
