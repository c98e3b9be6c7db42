package dev.longhaul.cli.launch;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/**
 * The settings of {@code server}, {@code worker} and {@code dev}. Each is a flag ({@code --cancel-grace}), an
 * environment variable ({@code LONGHAUL_CANCEL_GRACE}), and a key in the configuration file ({@code cancel-grace}).
 */
enum Setting {
    PORT("N", "8080", "Port to listen on; 0 takes a free port."),
    HOST("ADDRESS", "127.0.0.1", "Address to listen on. Any address but loopback requires API keys."),
    ADMIN_KEY_FILE(
            "FILE", null, "File with the first admin key. The server creates the key at start if no key exists."),
    STORE(
            "STORE",
            "embedded",
            "Where jobs are stored: memory (lost with the process), embedded (a PostgreSQL that this process runs), or"
                    + " postgres://user@host:5432/name, with the password in ~/.pgpass."),
    DATA_DIR("DIR", ".longhaul", "Directory for the data of the embedded PostgreSQL and for the local token."),
    READ_DATABASE_URL("URL", null, "A read replica for lists and counts of jobs; results may be slightly stale."),
    ROLE("ROLES", "api,scheduler,worker", "Roles of this process: any of api, scheduler, worker."),
    SLOTS("N", null, "Number of jobs that run at the same time (default: twice the cores, at least 4)."),
    QUEUES(
            "QUEUES",
            null,
            "Queues to serve, optionally with a maximum of slots each: mail,reports:4 (default: the queue default"
                    + " and those of the definitions)."),
    LEASE("TIME", "15s", "Lease: time without a heartbeat after which another worker gets the job."),
    CANCEL_GRACE("TIME", "30s", "Time that cancelled code has to end before it is interrupted."),
    DRAIN("TIME", "30s", "Drain time: how long running jobs may finish after SIGTERM."),
    RETENTION(
            "TIME",
            "7d",
            "How long finished jobs are kept. From 1d on, whole days are dropped, up to a day later; below that, single"
                    + " jobs are deleted within 10 min."),
    TLS_CERT("FILE", null, "Certificate chain (PEM); together with --tls-key it enables TLS."),
    TLS_KEY("FILE", null, "Private key (PEM)."),
    PUBLIC_URL("URL", null, "URL under which clients reach this server, if it differs from its own address."),
    ALLOWED_HOSTS("HOSTS", null, "Further host names that requests may use, besides loopback and the public URL."),
    ALLOWED_ORIGINS(
            "ORIGINS", null, "Origins whose pages may call the RPC services with a key: https://app.example.com."),
    TRUSTED_PROXIES("CIDRS", null, "Networks of proxies whose X-Forwarded-For header is trusted: 10.0.0.0/8."),
    MAX_CONNECTIONS(
            "N",
            null,
            "Maximum of client connections; further ones are closed at once (default: half of the process's limit of open files, at"
                    + " most 10000)."),
    RATE_LIMIT(
            "N", "1000", "Requests per second per API key in this process; further ones get 429. 0 means unlimited."),
    RATE_LIMIT_ADDRESS("N", "1000", "Requests per second per client address without a key; 0 means unlimited."),
    RATE_LIMIT_FAILURES(
            "N", "20", "Requests per second per client address with a wrong key; does not limit valid keys."),
    RATE_LIMIT_BURST("SECONDS", "2", "Burst size of the rate limits, in seconds."),
    WEBHOOK_NETWORKS(
            "CIDRS",
            null,
            "Private networks that webhooks may reach, also by plain HTTP and on any port: 10.1.0.0/16. longhaul dev"
                    + " always allows loopback."),
    KAFKA(
            "BROKERS",
            null,
            "Kafka brokers that webhooks to kafka:TOPIC send to, separated by commas: kafka1:9092,kafka2:9092."),
    KAFKA_CONFIG(
            "FILE",
            null,
            "Properties file with further settings of the Kafka client, such as those of TLS and SASL; needs --kafka."),
    INTAKE(
            "TOPIC",
            null,
            "Accepts new jobs, cancels and edits while the database is unavailable: they are appended to this Kafka topic and"
                    + " stored later. Processes with the role api append, those with the role scheduler store. Needs --kafka:"
                    + " docs/guides/scale-out.md."),
    INTAKE_WHEN(
            "unavailable|slow|always",
            "unavailable",
            "When a write goes to --intake: if the database is unavailable, also if an insert takes more than 500 ms (slow), or"
                    + " always."),
    INTAKE_UNSAFE(
            null,
            "false",
            "Accepts topics of --intake with fewer than three replicas, which can lose accepted jobs. For tests."),
    DEMO(null, "false", "Registers the demo definitions: demo.echo, demo.sleep, demo.fail, demo.count and more."),
    ALLOW_COMMANDS(
            null,
            "false",
            "Enables the definition command: jobs that run any program, as the user of this process or --process-user."
                    + " Without API keys, callers then need the token that is printed at start."),
    ALLOW_HTTP(
            null,
            "false",
            "Enables the definition http: jobs that send HTTP requests from this process, to public addresses by https and to"
                    + " --http-networks."),
    HTTP_NETWORKS(
            "CIDRS",
            null,
            "Private networks that http jobs may reach, also by plain HTTP and on any port: 10.1.0.0/16."),
    COMMANDS(
            "FILE",
            null,
            "File with commands that jobs may run, each a definition with its own params: docs/guides/isolation.md."),
    PROCESS_USER(
            "NAME",
            null,
            "Operating-system user of jobs with process isolation. Requires root (default: the user of this process)."),
    KUBERNETES(
            "auto|FILE",
            null,
            "Runs jobs with isolation pod as Kubernetes Jobs: auto (the cluster that this process runs in, or that of"
                    + " kubectl) or a kubeconfig file."),
    NAMESPACE("NAME", null, "Namespace of pods whose definitions name none (default: that of --kubernetes)."),
    POD_TEMPLATE("FILE", null, "Pod template in YAML that the container of a job is merged into."),
    POD_IMAGES(
            "IMAGES",
            null,
            "Enables the definition pod: jobs that run one of these images with any command:"
                    + " registry.example.org/*."),
    POD_START_TIMEOUT("TIME", "10m", "How long a pod may take until its container runs."),
    POD_UNREACHABLE(
            "wait|force",
            "wait",
            "What happens to pods that must end on unreachable nodes: wait for the node, or delete the pod by force,"
                    + " although its code may still run there."),
    POD_SERVER(
            "URL",
            null,
            "Enables pods that run handlers in Java: the server that they report to, as pods reach it:"
                    + " http://longhaul.jobs.svc."),
    POD_SERVER_KEY_FILE(
            "FILE",
            null,
            "File with the API key of these pods, of the role worker. The code in the pods can read the key: bind it to"
                    + " queues."),
    DEFAULT_ISOLATION(
            "thread|process",
            null,
            "Isolation of --jobs definitions that set none (default: process, or thread on systems without /proc)."),
    JOBS(
            "PATHS",
            null,
            "Jars or directories of classes with your definitions, separated by commas. One of them names a"
                    + " dev.longhaul.JobDefinitions in META-INF/services."),
    OTLP_ENDPOINT(
            "URL",
            null,
            "Collector that receives spans, as OTLP over HTTP: http://collector:4318/v1/traces (default: none)."),
    OTLP_HEADERS_FILE(
            "FILE", null, "File with HTTP headers for the collector, one per line: authorization: Bearer abc."),
    TRACE_RATIO(
            "RATIO", "1", "Sampling ratio (0 to 1) for traces that start here; incoming sampling decisions are kept."),
    METRICS_PORT(
            "N",
            null,
            "Serve /metrics, /healthz and /readyz on this port too, without a key, for any role; 0 takes a free port (default: only on --port)."),
    METRICS_HOST(
            "ADDRESS",
            "127.0.0.1",
            "Address of --metrics-port. Metrics name definitions and queues, so keep it private."),
    LOG(
            "LEVELS",
            "warn",
            "Log level on stderr: error, warn, info or debug; also per logger: info,com.example=debug or warn,longhaul.job=error."),
    LOG_FAILURES("true|false", "true", "Log failed attempts: WARN for each, ERROR when the job has failed for good."),
    LOG_FORMAT(
            "FORMAT",
            "text",
            "Format of the log: text, or json (an object per line: timestamp, level, logger, thread, message, and fields such as jobId)."),
    VERBOSE(null, "false", "Logs from level info on, and prints a breakdown of the start-up time."),
    CONFIG("FILE", null, "A properties file with any of these settings, such as cancel-grace=10s.");

    private final @Nullable String label;
    private final @Nullable String fallback;
    private final String help;

    Setting(@Nullable String label, @Nullable String fallback, String help) {
        this.label = label;
        this.fallback = fallback;
        this.help = help;
    }

    static Optional<Setting> ofKey(String key) {
        return Arrays.stream(values())
                .filter(setting -> setting.key().equals(key))
                .findFirst();
    }

    String key() {
        return name().toLowerCase(Locale.ROOT).replace('_', '-');
    }

    String flag() {
        return "--" + key();
    }

    String variable() {
        return "LONGHAUL_" + name();
    }

    /** Returns the placeholder of the value in the help; null for a switch. */
    @Nullable
    String label() {
        return label;
    }

    /** Returns the default value; null if there is none, or if it is computed. */
    @Nullable
    String fallback() {
        return fallback;
    }

    String help() {
        return fallback == null || label == null ? help : help + " (default: " + fallback + ")";
    }

    /** Returns whether the value may contain a password and must not be shown. */
    boolean secret() {
        return this == STORE || this == READ_DATABASE_URL || this == OTLP_ENDPOINT;
    }
}
