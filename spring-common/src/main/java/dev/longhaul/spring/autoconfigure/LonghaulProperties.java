package dev.longhaul.spring.autoconfigure;

import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.springframework.boot.context.properties.ConfigurationProperties;
import org.springframework.boot.context.properties.bind.DefaultValue;

/**
 * Settings of Longhaul, with the names and defaults of the server's settings.
 *
 * @param enabled Whether Longhaul is configured.
 * @param migrate Whether to migrate an outdated schema at start. If false, an outdated schema is rejected.
 * @param joinTransactions Whether jobs that are enqueued within a transaction belong to it.
 * @param slots Number of jobs that run at the same time. Default: twice the cores, at least 4.
 * @param queues Queues to serve, optionally with a maximum of slots each: mail,reports:4. Default: the queue default and those of the definitions.
 * @param lease Time without a heartbeat after which another worker gets the job.
 * @param cancelGrace Time that cancelled code has to end before it is interrupted.
 * @param drain How long running jobs may finish when the application stops; shortened to fit into spring.lifecycle.timeout-per-shutdown-phase.
 * @param retention How long finished jobs are kept.
 * @param logFailures Whether to log failed attempts: WARN for each, ERROR when the job has failed for good.
 * @param processUser Operating-system user of jobs with process isolation. Requires root. Default: the user of this process.
 * @param workerId Name under which this process claims jobs. Default: a unique one.
 * @param worker Settings of running jobs.
 * @param scheduler Settings of the maintenance tasks.
 * @param metrics Settings of metrics.
 * @param dashboard Settings of the dashboard.
 */
@ConfigurationProperties("longhaul")
public record LonghaulProperties(
        @DefaultValue("true") boolean enabled,
        @DefaultValue("true") boolean migrate,
        @DefaultValue("true") boolean joinTransactions,
        @Nullable Integer slots,
        @DefaultValue List<String> queues,
        @DefaultValue("15s") Duration lease,
        @DefaultValue("30s") Duration cancelGrace,
        @DefaultValue("30s") Duration drain,
        @DefaultValue("7d") Duration retention,
        @DefaultValue("true") boolean logFailures,
        @Nullable String processUser,
        @Nullable String workerId,
        @DefaultValue Worker worker,
        @DefaultValue Scheduler scheduler,
        @DefaultValue Metrics metrics,
        @DefaultValue Dashboard dashboard) {
    /**
     * Settings of running jobs.
     *
     * @param enabled Whether this process runs jobs. If false, it only enqueues them.
     */
    public record Worker(@DefaultValue("true") boolean enabled) {}

    /**
     * Settings of the maintenance tasks.
     *
     * @param enabled Whether this process can become the leader, which fires schedules and recovers jobs of dead workers.
     */
    public record Scheduler(@DefaultValue("true") boolean enabled) {}

    /**
     * Settings of metrics.
     *
     * @param refresh How often the numbers of the whole cluster, such as the jobs in each queue, are read from the database. 0 reads none.
     */
    public record Metrics(@DefaultValue("15s") Duration refresh) {}

    /**
     * Settings of the dashboard.
     *
     * @param enabled Whether the dashboard and the REST API are served on the application's port.
     * @param path Path under which they are served.
     * @param roles Longhaul's role (viewer, submitter, operator, admin) of each authority of Spring Security.
     */
    public record Dashboard(
            @DefaultValue("false") boolean enabled,
            @DefaultValue("/longhaul") String path,
            @DefaultValue Map<String, String> roles) {}
}
