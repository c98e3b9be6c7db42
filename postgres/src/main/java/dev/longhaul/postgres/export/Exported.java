package dev.longhaul.postgres.export;

import dev.longhaul.postgres.database.NamedSql;
import java.util.Locale;
import java.util.Map;

/**
 * The exported tables, in the order in which an import fills them: the rows of a job before the job itself, so that a
 * job in the target database always has all its rows. Leaders, workers and sessions are transient and not exported, and
 * neither are the progress and the aliases of an intake, which belong to its log.
 */
enum Exported {
    API_KEY,
    QUEUE,
    DEFINITION,
    DECLARED_DEFINITION,
    HOOKED_DEFINITION,
    DEFINITION_LIMIT("{\"running\": 0}", "false"),
    AUDIT_ENTRY,
    SCHEDULE_FIRE,
    SCHEDULE,
    WEBHOOK,
    WEBHOOK_DELIVERY,
    WEBHOOK_TRY("not exists (select from longhaul.webhook_delivery d where d.id = given.delivery_id)"),
    JOB_WEBHOOK(Rule.JOB_IS_HERE),
    JOB_STEP(Rule.JOB_IS_HERE),
    JOB_EVENT(Rule.JOB_IS_HERE),
    JOB_RUN(Rule.JOB_IS_HERE),
    JOB_EFFECT(Rule.JOB_IS_HERE),
    IDEMPOTENCY_KEY(Rule.JOB_IS_HERE),
    FINISHED_JOB("{}", "exists (select from longhaul.live_job j where j.id = given.id)"),
    LIVE_JOB("{\"counted\": false}", "exists (select from longhaul.finished_job j where j.id = given.id)");

    private static final class Rule {
        /** Skips rows of a job that exists, because the job may have changed since the export. */
        private static final String JOB_IS_HERE = "exists (select from longhaul.job j where j.id = given.job_id)";
    }

    private static final String NOTHING = "'{}'::jsonb";
    private static final String NO = "false";
    /**
     * Exports a hash in place of each lease key, because the key lets a remote worker report about its job. The hash is
     * unique too, but of no use to a worker.
     */
    private static final String OTHER_LEASE =
            "case when lease_key is null then '{}'::jsonb else jsonb_build_object('lease_key', md5(lease_key::text)::uuid) end";

    private final String overrides;
    private final String unless;

    Exported() {
        this("{}", NO);
    }

    Exported(String unless) {
        this("{}", unless);
    }

    Exported(String overrides, String unless) {
        this.overrides = overrides;
        this.unless = unless;
    }

    String table() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** Whether its rows have params or results, which may contain secret fields. */
    boolean hasValues() {
        return this == SCHEDULE || this == JOB_STEP || this == FINISHED_JOB || this == LIVE_JOB;
    }

    /** A statement with two columns: the row, and whether its secrets were masked. */
    NamedSql export(boolean withSecrets) {
        String mask = switch (this) {
            case WEBHOOK -> "jsonb_build_object('secrets', array_fill('***'::text, array[cardinality(secrets)]))";
            case JOB_WEBHOOK, WEBHOOK_DELIVERY ->
                "case when secret is null then '{}'::jsonb else '{\"secret\": \"***\"}' end";
            default -> NOTHING;
        };
        String masked = switch (this) {
            case WEBHOOK -> "true";
            case JOB_WEBHOOK, WEBHOOK_DELIVERY -> "secret is not null";
            default -> NO;
        };
        return NamedSql.load(
                "upkeep/export",
                Map.of(
                        "table",
                        table(),
                        "overrides",
                        overrides,
                        "mask",
                        withSecrets ? NOTHING : mask,
                        "masked",
                        withSecrets ? NO : masked));
    }

    /** The columns that {@link ExportMask} reads. */
    NamedSql exportValues() {
        return this == JOB_STEP
                ? NamedSql.load("upkeep/export_steps")
                : values("(to_jsonb(t) - array['params', 'result'] || '" + overrides + "'::jsonb || "
                        + (this == SCHEDULE ? NOTHING : OTHER_LEASE) + ")::text");
    }

    /** The same columns without the row: enough to count the masked rows. */
    NamedSql valuesOnly() {
        return values("null::text");
    }

    private NamedSql values(String row) {
        boolean live = this == LIVE_JOB;
        return NamedSql.load(
                "upkeep/export_values",
                Map.of(
                        "table", table(),
                        "row", row,
                        "result", this == FINISHED_JOB ? "result" : "null::text",
                        // A job that is being cancelled never runs again: its lease expires, and it is cancelled.
                        "resumes", live ? "state < 3" : String.valueOf(this == SCHEDULE),
                        "steps",
                                live
                                        ? "(run > 0 and exists (select from longhaul.job_step s where s.job_id = t.id))"
                                        : NO));
    }

    NamedSql load() {
        String held = switch (this) {
            case LIVE_JOB ->
                "case when (line.text::jsonb -> 'live_job' ->> 'state')::int = 3 then '{}'::jsonb else"
                        + " '{\"state\": 0, \"lease_until\": null, \"heartbeat_at\": null, \"begun\": false}' end";
            case SCHEDULE ->
                "jsonb_build_object('next_fire_at', null, 'paused_at', longhaul.clock(), 'paused_by', 'import',"
                        + " 'paused_note', 'imported without its secrets: set its params, then resume it')";
            // Imported disabled, because the receiver does not know the new secret.
            case WEBHOOK ->
                "jsonb_build_object('enabled', false, 'secrets', array['whsec_' || encode("
                        + "uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid()), 'base64')])";
            case JOB_WEBHOOK, WEBHOOK_DELIVERY -> "'{\"secret\": null}'::jsonb";
            default -> NOTHING;
        };
        return NamedSql.load("upkeep/import", Map.of("table", table(), "unless", unless, "held", held));
    }
}
