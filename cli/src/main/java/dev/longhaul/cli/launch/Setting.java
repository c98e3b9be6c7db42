package dev.longhaul.cli.launch;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import org.jspecify.annotations.Nullable;

/** Everything that can be set: as {@code --cancel-grace}, as {@code LONGHAUL_CANCEL_GRACE}, or as {@code cancel-grace} in a file. */
enum Setting {
    PORT("N", "8080", "The port to listen on; 0 takes a free one."),
    HOST("ADDRESS", "127.0.0.1", "The address to listen on. Any but loopback needs API keys."),
    ADMIN_KEY_FILE("FILE", null, "A file with the secret of the first admin key, made of it while there is no key."),
    STORE(
            "STORE",
            "embedded",
            "Where jobs are kept: memory (gone with the process), embedded (a PostgreSQL that this process runs), or"
                    + " postgres://user:password@host:5432/name."),
    DATA_DIR(
            "DIR",
            ".longhaul",
            "Where the embedded PostgreSQL keeps its data, and a server without API keys that runs commands its token."),
    READ_DATABASE_URL(
            "URL",
            null,
            "Another PostgreSQL, such as a replica, to read lists of jobs and counts from; what it says may be a little"
                    + " old."),
    ROLE("ROLES", "api,scheduler,worker", "What this process does: any of api, scheduler, worker."),
    SLOTS("N", null, "How many jobs run at once (default: twice the cores, at least 4)."),
    QUEUES(
            "QUEUES",
            null,
            "The queues to serve, each with the most slots that it may take: mail,reports:4 (default: the queue default"
                    + " and those of the definitions)."),
    LEASE("TIME", "15s", "How long a job stays with a worker that no longer answers."),
    CANCEL_GRACE("TIME", "30s", "How long cancelled code may take to end before it is interrupted."),
    DRAIN("TIME", "30s", "How long running jobs may take to end when this process is told to stop."),
    RETENTION(
            "TIME",
            "7d",
            "How long jobs are kept after they have ended. From 1d on, whole days are removed, up to a day later; below, single"
                    + " jobs within 10 min."),
    TLS_CERT("FILE", null, "The certificate chain, PEM; with --tls-key, the port speaks TLS."),
    TLS_KEY("FILE", null, "The private key, PEM."),
    PUBLIC_URL("URL", null, "How clients reach this server, if not by its own address."),
    ALLOWED_HOSTS("HOSTS", null, "More names that requests may be addressed to, besides loopback and the public URL."),
    ALLOWED_ORIGINS(
            "ORIGINS", null, "Sites whose pages may call the RPC services with a key: https://app.example.com."),
    TRUSTED_PROXIES("CIDRS", null, "Networks of proxies whose word about a client's address is taken: 10.0.0.0/8."),
    MAX_CONNECTIONS(
            "N",
            null,
            "Open connections of clients; more are closed at once (default: half of the process's limit of open files, at"
                    + " most 10000)."),
    RATE_LIMIT("N", "1000", "Requests per second of one API key, in this process; more get 429. 0 is unlimited."),
    RATE_LIMIT_ADDRESS("N", "1000", "Requests per second of one client address without a key; 0 is unlimited."),
    RATE_LIMIT_FAILURES(
            "N",
            "20",
            "Requests per second of one client address with a wrong key; valid keys are never limited by it."),
    RATE_LIMIT_BURST("SECONDS", "2", "How many seconds' worth of these requests may come at once after a pause."),
    WEBHOOK_NETWORKS(
            "CIDRS",
            null,
            "Networks that webhooks may reach although they are not public, by plain HTTP and on any port too:"
                    + " 10.1.0.0/16. With longhaul dev, loopback is always among them."),
    DEMO(null, "false", "Runs the demo definitions: demo.echo, demo.sleep, demo.fail, demo.count and more."),
    ALLOW_COMMANDS(
            null,
            "false",
            "Lets jobs run any command of this machine, as the user of this process or --process-user: the definition"
                    + " command. Without API keys, callers then need the token that is printed at start."),
    ALLOW_HTTP(
            null,
            "false",
            "Lets jobs send HTTP requests from this process: the definition http. It reaches public addresses by https, and"
                    + " --http-networks."),
    HTTP_NETWORKS(
            "CIDRS",
            null,
            "Networks that http jobs may reach although they are not public, by plain HTTP and on any port too: 10.1.0.0/16."),
    COMMANDS(
            "FILE",
            null,
            "Commands that jobs may run, each a definition with params of its own: see docs/guides/isolation.md."),
    PROCESS_USER(
            "NAME",
            null,
            "The user that jobs in processes of their own run as, who can neither read nor signal this process. Only for"
                    + " root (default: the user of this process)."),
    DEFAULT_ISOLATION(
            "thread|process",
            null,
            "Where definitions of --jobs run that do not say so (default: process, or thread on systems without /proc)."),
    JOBS(
            "PATHS",
            null,
            "Jars or directories of classes with your definitions, separated by commas. One of them names a"
                    + " dev.longhaul.JobDefinitions in META-INF/services."),
    OTLP_ENDPOINT(
            "URL",
            null,
            "Where spans are sent, as OTLP over HTTP: http://collector:4318/v1/traces (default: nowhere)."),
    OTLP_HEADERS_FILE("FILE", null, "What is sent along with spans, a line each: authorization: Bearer abc."),
    TRACE_RATIO(
            "RATIO", "1", "Sampling ratio (0 to 1) for traces that start here; incoming sampling decisions are kept."),
    METRICS_PORT(
            "N",
            null,
            "Serve GET /metrics on this port too, without a key, for any role; 0 takes a free port (default: only on --port, with a key)."),
    METRICS_HOST(
            "ADDRESS",
            "127.0.0.1",
            "The address of --metrics-port. Its metrics name definitions and queues, so keep it private."),
    LOG(
            "LEVELS",
            "warn",
            "What is logged to stderr: error, warn, info or debug; of your own code as in info,com.example=debug; of jobs as in warn,longhaul.job=error."),
    LOG_FAILURES("true|false", "true", "Log failed attempts: WARN for each, ERROR when the job has failed for good."),
    LOG_FORMAT(
            "FORMAT",
            "text",
            "Format of the log: text, or json (an object per line: timestamp, level, logger, thread, message, and fields such as jobId)."),
    VERBOSE(null, "false", "Logs from info on, and says where the time to start went."),
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

    /** What stands for its value in the help; null if it is either on or off. */
    @Nullable
    String label() {
        return label;
    }

    /** Its value if nobody gives one; null if it then has none, or one that is worked out. */
    @Nullable
    String fallback() {
        return fallback;
    }

    String help() {
        return fallback == null || label == null ? help : help + " (default: " + fallback + ")";
    }

    /** Whether its value may hold a password, and so is never shown. */
    boolean secret() {
        return this == STORE || this == READ_DATABASE_URL || this == OTLP_ENDPOINT;
    }
}
