package dev.longhaul.cli.launch;

import dev.longhaul.cli.launch.process.FreePort;
import dev.longhaul.cli.launch.process.StartupTimes;
import dev.longhaul.cli.launch.process.Termination;
import dev.longhaul.cli.secret.VisiblePassword;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.server.access.LocalToken;
import dev.longhaul.server.access.SecretFile;
import java.io.PrintWriter;
import java.nio.file.Path;
import java.time.Duration;
import java.util.EnumMap;
import java.util.EnumSet;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.stream.Collectors;
import org.slf4j.LoggerFactory;
import picocli.CommandLine;
import picocli.CommandLine.ExitCode;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Model.OptionSpec;

/** The commands that start a long-running process. */
public final class Launch implements Callable<Integer> {
    /**
     * The system property that the launcher sets if the JVM writes its class archive on exit, which takes a few
     * seconds.
     */
    private static final String ARCHIVING = "longhaul.archiving";

    /** The settings that {@code dev} accepts. All other settings have fixed values there. */
    private static final Set<Setting> OF_DEV = EnumSet.of(
            Setting.PORT,
            Setting.DATA_DIR,
            Setting.SLOTS,
            Setting.QUEUES,
            Setting.LEASE,
            Setting.CANCEL_GRACE,
            Setting.DRAIN,
            Setting.RETENTION,
            Setting.WEBHOOK_NETWORKS,
            Setting.KAFKA,
            Setting.KAFKA_CONFIG,
            Setting.INTAKE,
            Setting.INTAKE_WHEN,
            Setting.INTAKE_UNSAFE,
            Setting.COMMANDS,
            Setting.HTTP_NETWORKS,
            Setting.KUBERNETES,
            Setting.NAMESPACE,
            Setting.POD_TEMPLATE,
            Setting.POD_IMAGES,
            Setting.POD_START_TIMEOUT,
            Setting.POD_UNREACHABLE,
            Setting.POD_SERVER,
            Setting.POD_SERVER_KEY_FILE,
            Setting.DEFAULT_ISOLATION,
            Setting.JOBS,
            Setting.OTLP_ENDPOINT,
            Setting.OTLP_HEADERS_FILE,
            Setting.TRACE_RATIO,
            Setting.METRICS_PORT,
            Setting.METRICS_HOST,
            Setting.LOG,
            Setting.LOG_FAILURES,
            Setting.LOG_FORMAT,
            Setting.VERBOSE,
            Setting.CONFIG);

    private enum Kind {
        DEV("Starts everything on this machine, to try it and to develop jobs against it."),
        SERVER("Starts a server: the API, the scheduler and a worker, or some of them."),
        WORKER("Starts a worker alone, on the database of a server.");

        private final String description;

        Kind(String description) {
            this.description = description;
        }

        Set<Setting> settings() {
            return this == DEV ? OF_DEV : EnumSet.allOf(Setting.class);
        }
    }

    /** How long a server may take to close after its running jobs have drained. */
    private static final Duration TO_CLOSE = Duration.ofSeconds(30);

    private final Kind kind;
    private final PrintWriter out;
    private final CommandSpec spec;

    private Launch(Kind kind, PrintWriter out) {
        this.kind = kind;
        this.out = out;
        this.spec = CommandSpec.wrapWithoutInspection(this);
    }

    public static CommandLine dev(PrintWriter out) {
        return new Launch(Kind.DEV, out).command();
    }

    public static CommandLine server(PrintWriter out) {
        return new Launch(Kind.SERVER, out).command();
    }

    public static CommandLine worker(PrintWriter out) {
        return new Launch(Kind.WORKER, out).command();
    }

    private CommandLine command() {
        spec.name(kind.name().toLowerCase(Locale.ROOT)).mixinStandardHelpOptions(true);
        spec.usageMessage()
                .description(kind.description)
                .sortOptions(false)
                .footer(
                        "",
                        "Each of these can also be set in the environment, --cancel-grace as LONGHAUL_CANCEL_GRACE, and in the"
                                + " file of --config, as cancel-grace=10s. A flag goes before the environment, and that before"
                                + " the file.",
                        "Times are written 500ms, 15s, 5m, 12h, 7d; lists with commas.");
        for (Setting setting : kind.settings()) {
            var option = OptionSpec.builder(setting.flag()).type(String.class).description(setting.help());
            String label = setting.label();
            if (label == null) {
                option.arity("0..1").fallbackValue("true").paramLabel("true|false");
            } else {
                option.arity("1").paramLabel(label);
            }
            spec.addOption(option.build());
        }
        return new CommandLine(spec);
    }

    @Override
    public Integer call() throws InterruptedException {
        var times = new StartupTimes();
        var settings = Settings.of(kind.settings(), flags(), System.getenv());
        boolean verbose = Logging.apply(settings);
        LaunchConfig config = config(settings);
        logStart();
        warnOfVisibleSecrets(settings);
        Termination termination = Termination.onSignals(config.work().drain().plus(TO_CLOSE));
        times.mark("settings read");
        try (Running running = Running.start(config, times)) {
            announce(running, config, times, verbose);
            JobsWatch watch = watch(running, config);
            termination.await();
            watch.close();
            out.println("longhaul: stopping"
                    + (config.plays(ProcessRole.WORKER)
                            ? "; waiting up to "
                                    + DurationText.write(config.work().drain()) + " for running jobs"
                            : "")
                    + " (a second signal exits at once)");
        }
        out.println("longhaul: stopped"
                + (Boolean.getBoolean(ARCHIVING) ? "; writing a class archive for faster starts" : ""));
        return ExitCode.OK;
    }

    /**
     * Logs the start. The logger is created here, because a logger that is created earlier would ignore the configured
     * level and format.
     */
    private void logStart() {
        String version = Launch.class.getPackage().getImplementationVersion();
        LoggerFactory.getLogger(Launch.class)
                .info(
                        "longhaul {} {}, Java {}",
                        spec.name(),
                        version == null ? "development" : version,
                        Runtime.version());
    }

    private void warnOfVisibleSecrets(Settings settings) {
        var arguments = flags();
        for (Setting setting : List.of(Setting.STORE, Setting.READ_DATABASE_URL)) {
            VisiblePassword.warn(setting.flag(), arguments.get(setting), setting.variable() + ", or " + setting.key());
        }
        Path headers = settings.file(Setting.OTLP_HEADERS_FILE);
        if (headers != null) {
            SecretFile.warnIfOpen(headers, "headers for the collector");
        }
        Path file = settings.file(Setting.CONFIG);
        String store = settings.text(Setting.STORE);
        if (file != null
                && !arguments.containsKey(Setting.STORE)
                && System.getenv(Setting.STORE.variable()) == null
                && VisiblePassword.isIn(store)) {
            SecretFile.warnIfOpenToAll(file, "the password of the database");
        }
    }

    private Map<Setting, String> flags() {
        var flags = new EnumMap<Setting, String>(Setting.class);
        var arguments = spec.commandLine().getParseResult();
        for (Setting setting : kind.settings()) {
            String value = arguments.matchedOptionValue(setting.flag(), (String) null);
            if (value != null) {
                flags.put(setting, value);
            }
        }
        return flags;
    }

    private LaunchConfig config(Settings settings) {
        var launch = new LaunchSettings(settings);
        LaunchConfig config = switch (kind) {
            case DEV -> launch.dev();
            case SERVER -> launch.server();
            case WORKER -> launch.worker();
        };
        if (kind != Kind.DEV || settings.has(Setting.PORT)) {
            return config;
        }
        int wanted = config.server().listen().port();
        int port = FreePort.from(config.server().listen().host(), wanted);
        if (port != wanted) {
            out.println("longhaul: port " + wanted + " is in use; listening on port " + port + " instead");
        }
        return config.withPort(port);
    }

    private void announce(Running running, LaunchConfig config, StartupTimes times, boolean verbose) {
        times.mark("ready");
        if (verbose) {
            times.lines().forEach(out::println);
        }
        String definitions = running.jobs().registry().names().stream()
                .sorted()
                .map(DefinitionRef::toString)
                .collect(Collectors.joining(", "));
        String runs = config.plays(ProcessRole.WORKER)
                ? "; runs "
                        + (definitions.isEmpty() ? "nothing: no definitions are loaded (--jobs, --demo)" : definitions)
                : "";
        String where = config.plays(ProcessRole.API) ? Banner.url(config.server(), running.port()) : null;
        LocalToken token = running.token();
        out.println(Banner.ready(where, token, times.sinceStart()) + runs);
        if (running.metricsUrl() != null) {
            out.println("longhaul: metrics at " + running.metricsUrl());
        }
        if (kind == Kind.DEV && where != null && config.store() instanceof StoreConfig.Embedded embedded) {
            out.print(Banner.dev(where, token, embedded.home(), config.jobs().allowCommands()));
        }
        out.flush();
    }

    private JobsWatch watch(Running running, LaunchConfig config) {
        boolean watched = config.jobs().reload() && !config.jobs().paths().isEmpty();
        var watch = new JobsWatch(config.jobs().paths(), () -> reload(running, config));
        return watched ? watch.start() : watch;
    }

    /** Loads the changed code. If loading fails, the old code is used until the next change. */
    private void reload(Running running, LaunchConfig config) {
        LoadedJobs newer;
        try {
            newer = LoadedJobs.load(config.jobs());
        } catch (LonghaulException e) {
            out.println("longhaul: the changed classes were not loaded, the earlier ones still run: " + e.getMessage());
            return;
        }
        try {
            running.replace(newer);
            out.println("longhaul: loaded the changed classes: "
                    + newer.registry().names().stream()
                            .sorted()
                            .map(DefinitionRef::toString)
                            .collect(Collectors.joining(", ")));
        } catch (RuntimeException e) {
            newer.close();
            out.println(
                    "longhaul: the changed classes were not started, the earlier ones still run: " + e.getMessage());
        }
    }
}
