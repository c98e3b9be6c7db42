package dev.longhaul.postgres;

import java.util.Locale;
import java.util.Map;

/**
 * The tables that an export holds, in the order in which an import must fill them: what belongs to a job before the job, so that
 * one that is there is there as a whole. Leaders, workers and sessions are of the moment and stay where they are.
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
    DUE_HOOK(Rule.JOB_IS_HERE),
    IDEMPOTENCY_KEY(Rule.JOB_IS_HERE),
    FINISHED_JOB("{}", "exists (select from longhaul.live_job j where j.id = given.id)"),
    LIVE_JOB("{\"counted\": false}", "exists (select from longhaul.finished_job j where j.id = given.id)");

    private static final class Rule {
        /** A job that exists here has gone its own way. */
        private static final String JOB_IS_HERE = "exists (select from longhaul.job j where j.id = given.job_id)";
    }

    private final String overrides;
    private final String unless;

    Exported() {
        this("{}", "false");
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

    NamedSql export() {
        return NamedSql.load("upkeep/export", Map.of("table", table(), "overrides", overrides));
    }

    NamedSql load() {
        return NamedSql.load("upkeep/import", Map.of("table", table(), "unless", unless));
    }
}
