package dev.longhaul.postgres;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.access.Actor;
import dev.longhaul.access.Rights;
import dev.longhaul.access.Role;
import dev.longhaul.catalog.Declaration;
import dev.longhaul.catalog.KnownDefinition;
import dev.longhaul.catalog.Registration;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobEdit;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobSpec;
import dev.longhaul.job.RunAt;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.job.WebhookSecret;
import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.JobTemplate;
import dev.longhaul.schedule.Overlap;
import dev.longhaul.schedule.ScheduleSpec;
import dev.longhaul.schedule.Timetable;
import dev.longhaul.schedule.Timing;
import dev.longhaul.spi.JobCommand;
import dev.longhaul.testing.TestPostgres;
import dev.longhaul.webhook.WebhookSpec;
import dev.longhaul.webhook.WebhookStore;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** A caller's command and its audit entry are one transaction. */
class AuditedTest {
    private static final Actor ANNA = new Actor("anna", new UUID(7, 7));
    private static final Instant START = Instant.parse("2026-01-01T00:00:00Z");
    private static final DefinitionRef DEMO = new DefinitionRef("demo", 1);
    private static final DefinitionRef UNUSED = new DefinitionRef("unused", 1);

    private final HikariDataSource pool = TestPostgres.pool(TestPostgres.get().newDatabase(), 10);
    private final PostgresStore store = PostgresStore.open(pool);

    @AfterEach
    void close() {
        store.close();
        pool.close();
    }

    @Test
    void an_act_that_cannot_be_recorded_is_refused_and_changes_nothing() throws Exception {
        JobId waiting = job(JobSpec.of(DEMO, "{}"));
        JobId later = job(JobSpec.of(DEMO, "{}").runTime(RunAt.after(Duration.ofHours(1))));
        JobId held = job(JobSpec.of(DEMO, "{}").hold(true));
        JobId cancelled = job(JobSpec.of(DEMO, "{}"));
        store.jobs().execute(JobCommand.cancel(cancelled, null, null, null));
        store.queues().pause("paused", null, null);
        ScheduleSpec spec = hourly("a", Overlap.ALLOW);
        store.schedules().create(spec, false, null);
        store.schedules().create(hourly("paused", Overlap.ALLOW), true, null);
        UUID hook = UUID.randomUUID();
        store.webhooks().create(hook, webhook(), null);
        UUID delivery = store.webhooks().test(hook).id();
        UUID key = UUID.randomUUID();
        store.catalog().register(List.of(definition(UNUSED)));
        store.access().add(key, "ci", Rights.of(Role.ADMIN), hash(1), null);
        store.access().openSession(hash(2), key, Duration.ofHours(1));
        execute("alter table longhaul.audit_entry add constraint broken check (false) not valid");
        List<String> before = everything();

        refused(() -> store.jobs()
                .execute(JobCommand.cancel(waiting, "anna", null, null))
                .job());
        refused(() -> store.jobs()
                .execute(JobCommand.edit(waiting, "anna", new JobEdit("other", null, null, null, null, null)))
                .job());
        refused(() -> store.jobs().execute(JobCommand.runNow(later, "anna")).job());
        refused(() -> store.jobs().execute(JobCommand.hold(waiting, "anna")).job());
        refused(() -> store.jobs().execute(JobCommand.release(held, "anna")).job());
        refused(() -> store.jobs().execute(JobCommand.retry(cancelled, "anna")).job());
        refused(() -> store.queues().pause("slow", "anna", null));
        refused(() -> store.queues().resume("paused"));
        refused(() -> store.queues().maxDepth("slow", 3));
        var declaration = new Declaration(DEMO, null, null, "slow", null, null, null);
        refused(() -> store.catalog().declare(declaration, Set.of(Declaration.Field.QUEUE), "anna"));
        refused(() -> store.catalog().decide(List.of(registration(DEMO))));
        refused(() -> store.catalog().delete(UNUSED));
        refused(() -> store.schedules().create(hourly("b", Overlap.ALLOW), false, "anna"));
        refused(() -> store.schedules().edit(spec, hourly("a", Overlap.SKIP), null, "anna"));
        refused(() -> store.schedules().pause("a", "anna", null));
        refused(() -> store.schedules().resume("paused"));
        refused(() -> store.schedules().trigger("a", "anna"));
        refused(() -> store.schedules().backfill("a", List.of(START), Duration.ZERO, "anna"));
        refused(() -> store.schedules().delete("a"));
        refused(() -> store.webhooks().create(UUID.randomUUID(), webhook(), "anna"));
        refused(() -> store.webhooks().edit(hook, was -> new WebhookStore.Settings(was.spec(), false)));
        refused(() -> store.webhooks().test(hook));
        refused(() -> store.webhooks().redeliver(delivery));
        refused(() -> store.webhooks().delete(hook));
        refused(() -> store.access().add(UUID.randomUUID(), "b", Rights.of(Role.ADMIN), hash(3), "anna"));
        refused(() -> store.access().openSession(hash(4), key, Duration.ofHours(1)));
        refused(() -> store.access().closeSession(hash(2)));
        refused(() -> store.access().revoke(key, "anna"));

        assertThat(everything()).isEqualTo(before);
    }

    private static void refused(Runnable act) {
        assertThatThrownBy(() -> ANNA.run(act))
                .isInstanceOf(LonghaulException.class)
                .hasMessageContaining("broken");
    }

    @Test
    void the_owner_of_the_trail_has_no_right_to_change_or_delete_entries() throws Exception {
        assertThat(texts("select privilege_type from pg_class, aclexplode(relacl)"
                        + " where oid = 'longhaul.audit_entry'::regclass"))
                .contains("INSERT", "SELECT")
                .doesNotContain("UPDATE", "DELETE", "TRUNCATE");
    }

    private JobId job(JobSpec.Builder spec) {
        return store.jobs().insert(List.of(spec.build())).get(0).job().id();
    }

    private static ScheduleSpec hourly(String key, Overlap overlap) {
        var template = JobTemplate.of(JobSpec.of(DEMO, "{}").build());
        var timetable = Timetable.of(Timing.every(Duration.ofHours(1), START));
        return new ScheduleSpec(key, template, timetable, CatchUp.DEFAULT, overlap);
    }

    private static KnownDefinition definition(DefinitionRef ref) {
        var defaults = new KnownDefinition.Defaults("slow", 3, Duration.ofMinutes(2), 0);
        return new KnownDefinition(ref, "true", "true", defaults, null, Instant.EPOCH);
    }

    private static Registration registration(DefinitionRef ref) {
        return new Registration() {
            @Override
            public DefinitionRef ref() {
                return ref;
            }

            @Override
            public KnownDefinition decide(List<Present> versions) {
                return definition(ref);
            }
        };
    }

    private static WebhookSpec webhook() {
        return new WebhookSpec(
                "https://a.example.com/x",
                Set.of(WebhookEvent.JOB_STARTED),
                Set.of(),
                Set.of(),
                Map.of(),
                List.of(WebhookSecret.random()));
    }

    private static byte[] hash(int secret) {
        var hash = new byte[32];
        hash[0] = (byte) secret;
        return hash;
    }

    /** Every row of every table. */
    private List<String> everything() throws SQLException {
        var rows = new ArrayList<String>();
        for (String table :
                texts("select distinct tablename from pg_tables where schemaname = 'longhaul' order by 1")) {
            rows.addAll(texts("select '" + table + ' ' + "' || t::text from longhaul." + table + " t order by 1"));
        }
        return rows;
    }

    private List<String> texts(String query) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement();
                ResultSet found = statement.executeQuery(query)) {
            var texts = new ArrayList<String>();
            while (found.next()) {
                texts.add(found.getString(1));
            }
            return texts;
        }
    }

    private void execute(String sql) throws SQLException {
        try (Connection connection = pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute(sql);
        }
    }
}
