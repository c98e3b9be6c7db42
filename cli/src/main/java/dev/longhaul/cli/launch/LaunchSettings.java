package dev.longhaul.cli.launch;

import dev.longhaul.Isolation;
import dev.longhaul.engine.WorkerConfig;
import dev.longhaul.engine.task.TaskFile;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.internal.text.Names;
import dev.longhaul.kubernetes.HandlerPods;
import dev.longhaul.kubernetes.cluster.Cluster;
import dev.longhaul.postgres.database.DatabaseUrl;
import dev.longhaul.process.supervise.Confinement;
import dev.longhaul.server.ServerConfig;
import dev.longhaul.server.access.Callers;
import dev.longhaul.server.access.RequestRates;
import dev.longhaul.server.outbound.AddressRules;
import dev.longhaul.server.tracing.TraceConfig;
import dev.longhaul.server.webhook.WebhookConfig;
import java.io.IOException;
import java.net.URI;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/** Creates the configuration of a process from its settings; reports all invalid settings at once. */
final class LaunchSettings {
    private static final int MOST_SLOTS = 10_000;
    private static final int MOST_CONNECTIONS = 1_000_000;
    private static final int MOST_REQUESTS = 1_000_000;
    private static final int LONGEST_BURST = 60;
    private static final Duration SHORTEST_LEASE = Duration.ofMillis(300);
    private static final List<String> LOOPBACK = List.of("127.0.0.0/8", "::1/128");
    private static final String DATABASE = "postgres://user@host:5432/name";

    private static final Pattern HEADER = Pattern.compile("(?<name>[A-Za-z0-9-]+):\\s*(?<value>[ -~]*\\S)\\s*");

    private final Settings settings;

    LaunchSettings(Settings settings) {
        this.settings = settings;
    }

    LaunchConfig server() {
        Set<ProcessRole> roles = settings.parsed(
                Setting.ROLE,
                text -> ProcessRole.parse(List.of(text.replace(" ", "").split(",", -1))));
        return launch(roles == null ? ProcessRole.ALL : roles, false);
    }

    LaunchConfig worker() {
        if (settings.has(Setting.ROLE)) {
            settings.problem(Setting.ROLE, "none: longhaul worker is always a worker; longhaul server takes a role");
        }
        return launch(Set.of(ProcessRole.WORKER), false);
    }

    /** Returns the configuration of a process with all roles, for development. */
    LaunchConfig dev() {
        return launch(ProcessRole.ALL, true);
    }

    private LaunchConfig launch(Set<ProcessRole> roles, boolean dev) {
        StoreConfig store = store();
        if (!roles.contains(ProcessRole.API) && !(store instanceof StoreConfig.Postgres)) {
            settings.problem(
                    Setting.STORE,
                    DATABASE + ", because a process without the API gets jobs only from a shared database");
        }
        WorkConfig work = work();
        ServerConfig server = serverConfig(work.drain(), dev);
        JobsConfig jobs = jobs(dev);
        boolean needsToken = roles.contains(ProcessRole.API) && (dev || jobs.allowCommands());
        var access =
                new LaunchConfig.Access(settings.file(Setting.ADMIN_KEY_FILE), needsToken ? dataDirectory() : null);
        TraceConfig traces = traces();
        MetricsPort.Config metrics = metrics();
        KafkaConfig kafka = KafkaConfig.of(settings);
        if (kafka != null && kafka.intake() != null && store instanceof StoreConfig.Memory) {
            // Its progress would be lost with the process, and all records stored again.
            settings.problem(Setting.INTAKE, "none with --store memory; only with a store that outlives the process");
        }
        settings.throwIfWrong();
        return new LaunchConfig(roles, store, server, access, work, jobs, traces, metrics, kafka);
    }

    StoreConfig store() {
        StoreConfig store = settings.parsed(Setting.STORE, text -> switch (text) {
            case "memory" -> new StoreConfig.Memory();
            case "embedded" -> new StoreConfig.Embedded(dataDirectory());
            default ->
                new StoreConfig.Postgres(database(text), settings.parsed(Setting.READ_DATABASE_URL, this::database));
        });
        if (settings.has(Setting.READ_DATABASE_URL) && !(store instanceof StoreConfig.Postgres)) {
            settings.problem(Setting.READ_DATABASE_URL, "only with --store " + DATABASE);
        }
        return store == null ? new StoreConfig.Memory() : store;
    }

    private Path dataDirectory() {
        return Path.of(String.valueOf(settings.text(Setting.DATA_DIR)));
    }

    private String database(String text) {
        try {
            return DatabaseUrl.toJdbc(text);
        } catch (LonghaulException e) {
            throw new IllegalArgumentException("memory, embedded or " + DATABASE, e);
        }
    }

    private WorkConfig work() {
        Map<String, Integer> queues = settings.parsed(Setting.QUEUES, LaunchSettings::queues);
        return new WorkConfig(
                settings.number(Setting.SLOTS, 1, MOST_SLOTS, WorkConfig.DEFAULT.slots()),
                queues == null ? Map.of() : queues,
                settings.time(Setting.LEASE, SHORTEST_LEASE),
                settings.time(Setting.CANCEL_GRACE, Duration.ZERO),
                settings.time(Setting.DRAIN, Duration.ZERO),
                settings.time(Setting.RETENTION, Duration.ZERO),
                settings.text(Setting.PROCESS_USER),
                settings.flag(Setting.LOG_FAILURES),
                pods());
    }

    private @Nullable PodsConfig pods() {
        String cluster = settings.parsed(Setting.KUBERNETES, text -> {
            if (!text.equals(Cluster.AUTO) && !Files.isReadable(Path.of(text))) {
                throw new IllegalArgumentException("auto, or a kubeconfig file that can be read");
            }
            return text;
        });
        if (!settings.has(Setting.KUBERNETES)) {
            for (Setting setting : List.of(
                    Setting.NAMESPACE,
                    Setting.POD_TEMPLATE,
                    Setting.POD_IMAGES,
                    Setting.POD_START_TIMEOUT,
                    Setting.POD_UNREACHABLE,
                    Setting.POD_SERVER)) {
                if (settings.has(setting)) {
                    settings.problem(setting, "a cluster too, as --kubernetes");
                }
            }
        }
        Boolean force = settings.parsed(Setting.POD_UNREACHABLE, text -> switch (text) {
            case "wait" -> false;
            case "force" -> true;
            default -> throw new IllegalArgumentException("wait or force");
        });
        Path template = settings.file(Setting.POD_TEMPLATE);
        Duration start = settings.time(Setting.POD_START_TIMEOUT, Duration.ofSeconds(1));
        String namespace = settings.text(Setting.NAMESPACE);
        HandlerPods handlers = handlerPods();
        return cluster == null
                ? null
                : new PodsConfig(cluster, namespace, template, start, Boolean.TRUE.equals(force), handlers);
    }

    /**
     * Returns the settings of pods with handlers; null if they are disabled. Such pods run this program with the jobs
     * of this worker, which must have the same paths in their image.
     */
    private @Nullable HandlerPods handlerPods() {
        Path file = settings.file(Setting.POD_SERVER_KEY_FILE);
        String url = settings.parsed(Setting.POD_SERVER, text -> {
            if (!text.matches("https?://[^/\\s]+/?")) {
                throw new IllegalArgumentException("http://HOST:PORT or https://HOST");
            }
            return text;
        });
        if (url == null) {
            if (settings.has(Setting.POD_SERVER_KEY_FILE)) {
                settings.problem(Setting.POD_SERVER_KEY_FILE, "a server too, as --pod-server");
            }
            return null;
        }
        String key = null;
        try {
            key = file == null ? null : Files.readString(file).strip();
        } catch (IOException e) {
            settings.problem(Setting.POD_SERVER_KEY_FILE, "a readable text file; " + e);
        }
        var command = new ArrayList<>(List.of("longhaul", "run-task"));
        List<String> jobs = settings.list(Setting.JOBS);
        if (!jobs.isEmpty()) {
            command.add("--jobs=" + String.join(",", jobs));
        }
        return new HandlerPods(new TaskFile.Server(url, key), command);
    }

    private static Map<String, Integer> queues(String text) {
        var queues = new LinkedHashMap<String, Integer>();
        for (String part : text.split(",", -1)) {
            String[] pair = part.strip().split(":", -1);
            boolean bounded = pair.length == 2 && pair[1].matches("[1-9][0-9]{0,3}");
            if (!Names.valid(pair[0]) || (pair.length != 1 && !bounded) || queues.containsKey(pair[0])) {
                throw new IllegalArgumentException(
                        "names of queues, each once, with the most slots that one may take: mail,reports:4");
            }
            queues.put(pair[0], bounded ? Integer.valueOf(pair[1]) : Integer.valueOf(WorkerConfig.ANY));
        }
        return queues;
    }

    private ServerConfig serverConfig(Duration drain, boolean dev) {
        int port = settings.number(Setting.PORT, 0, 65_535, 0);
        String host = settings.parsed(Setting.HOST, text -> text);
        try {
            return ServerConfig.LOCAL
                    .withListen(new ServerConfig.Listen(host == null ? "127.0.0.1" : host, port, tls(), connections()))
                    .withCallers(new Callers(
                            settings.parsed(Setting.PUBLIC_URL, LaunchSettings::url),
                            settings.list(Setting.ALLOWED_HOSTS),
                            settings.list(Setting.TRUSTED_PROXIES),
                            settings.list(Setting.ALLOWED_ORIGINS),
                            rates(),
                            null))
                    .withDrain(drain)
                    .withWebhooks(WebhookConfig.USUAL.withNetworks(webhookNetworks(dev)));
        } catch (LonghaulException e) {
            e.errors().forEach(settings::problem);
            return ServerConfig.LOCAL;
        }
    }

    /**
     * Returns the networks that webhooks may reach. With {@code dev}, includes this machine, because most developers
     * try webhooks with a local receiver.
     */
    private List<String> webhookNetworks(boolean dev) {
        var networks = new ArrayList<>(settings.list(Setting.WEBHOOK_NETWORKS));
        if (dev) {
            networks.addAll(LOOPBACK);
        }
        return networks;
    }

    private int connections() {
        return settings.number(
                Setting.MAX_CONNECTIONS,
                1,
                MOST_CONNECTIONS,
                ServerConfig.LOCAL.listen().maxConnections());
    }

    private RequestRates rates() {
        int burst = settings.number(Setting.RATE_LIMIT_BURST, 1, LONGEST_BURST, 2);
        return new RequestRates(
                RequestRates.Rate.of(settings.number(Setting.RATE_LIMIT, 0, MOST_REQUESTS, 0), burst),
                RequestRates.Rate.of(settings.number(Setting.RATE_LIMIT_ADDRESS, 0, MOST_REQUESTS, 0), burst),
                RequestRates.Rate.of(settings.number(Setting.RATE_LIMIT_FAILURES, 1, MOST_REQUESTS, 1), burst));
    }

    private ServerConfig.@Nullable Tls tls() {
        Path certificate = settings.file(Setting.TLS_CERT);
        Path key = settings.file(Setting.TLS_KEY);
        if (settings.has(Setting.TLS_CERT) && !settings.has(Setting.TLS_KEY)) {
            settings.problem(Setting.TLS_CERT, "its private key too, as --tls-key");
        }
        if (settings.has(Setting.TLS_KEY) && !settings.has(Setting.TLS_CERT)) {
            settings.problem(Setting.TLS_KEY, "its certificate too, as --tls-cert");
        }
        return certificate == null || key == null ? null : new ServerConfig.Tls(certificate, key);
    }

    private static URI url(String text) {
        return Settings.valid(
                text,
                URI::create,
                url -> url.getHost() != null && ("http".equals(url.getScheme()) || "https".equals(url.getScheme())),
                "an address such as https://jobs.example.org");
    }

    private MetricsPort.@Nullable Config metrics() {
        String host = settings.parsed(Setting.METRICS_HOST, text -> text);
        int port = settings.number(Setting.METRICS_PORT, 0, 65_535, 0);
        if (settings.has(Setting.METRICS_HOST) && !settings.has(Setting.METRICS_PORT)) {
            settings.problem(Setting.METRICS_HOST, "a port too, as --metrics-port");
        }
        return settings.has(Setting.METRICS_PORT)
                ? new MetricsPort.Config(host == null ? "127.0.0.1" : host, port)
                : null;
    }

    private TraceConfig traces() {
        URI endpoint = settings.parsed(Setting.OTLP_ENDPOINT, LaunchSettings::url);
        Double ratio = settings.parsed(
                Setting.TRACE_RATIO,
                text -> Settings.valid(
                        text, Double::valueOf, share -> share >= 0 && share <= 1, "a number from 0 to 1, such as 0.1"));
        return new TraceConfig(endpoint, headers(settings.file(Setting.OTLP_HEADERS_FILE)), ratio == null ? 1 : ratio);
    }

    private Map<String, String> headers(@Nullable Path file) {
        var headers = new TreeMap<String, String>();
        if (file != null) {
            try {
                for (String line : Files.readAllLines(file)) {
                    Matcher header = HEADER.matcher(line);
                    if (header.matches() && TraceConfig.canSend(header.group("name"), header.group("value"))) {
                        headers.put(header.group("name"), header.group("value"));
                    } else if (!line.isBlank()) {
                        settings.problem(
                                Setting.OTLP_HEADERS_FILE, "a file with lines such as authorization: Bearer abc");
                    }
                }
            } catch (IOException e) {
                settings.problem(Setting.OTLP_HEADERS_FILE, "a readable text file in UTF-8; " + e);
            }
        }
        return headers;
    }

    private JobsConfig jobs(boolean dev) {
        var paths = new ArrayList<Path>();
        for (String one : settings.list(Setting.JOBS)) {
            Path path = Path.of(one);
            if (!Files.exists(path)) {
                settings.problem(Setting.JOBS, "jars or directories that exist; " + one + " does not");
            }
            paths.add(path);
        }
        return new JobsConfig(
                paths,
                dev,
                dev || settings.flag(Setting.DEMO),
                settings.flag(Setting.ALLOW_COMMANDS)
                        || (dev && Confinement.impossible().isEmpty()),
                settings.file(Setting.COMMANDS),
                isolation(),
                dev || settings.flag(Setting.ALLOW_HTTP) ? httpNetworks() : null,
                settings.list(Setting.POD_IMAGES));
    }

    private List<String> httpNetworks() {
        List<String> networks = settings.list(Setting.HTTP_NETWORKS);
        if (!networks.stream().allMatch(AddressRules::isBlock)) {
            settings.problem(Setting.HTTP_NETWORKS, "networks such as 10.1.0.0/16");
        }
        return networks;
    }

    private @Nullable Isolation isolation() {
        String asked = settings.text(Setting.DEFAULT_ISOLATION);
        if (asked == null) {
            return null;
        }
        if (asked.equals("process")) {
            return Isolation.process();
        }
        if (!asked.equals("thread")) {
            settings.problem(Setting.DEFAULT_ISOLATION, "thread or process");
        }
        return Isolation.thread();
    }
}
