package dev.longhaul.cli.launch;

import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobDefinitions;
import dev.longhaul.Registry;
import dev.longhaul.demo.DemoJobs;
import dev.longhaul.demo.IsolatedDemoJobs;
import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.kubernetes.Pods;
import dev.longhaul.process.command.CommandFile;
import dev.longhaul.process.command.Commands;
import dev.longhaul.process.supervise.Confinement;
import dev.longhaul.server.outbound.HttpJob;
import java.io.IOException;
import java.net.URL;
import java.net.URLClassLoader;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.ServiceConfigurationError;
import java.util.ServiceLoader;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** The loaded definitions, and the class loader of the user's code. */
final class LoadedJobs implements AutoCloseable {
    private static final Logger LOG = LoggerFactory.getLogger(LoadedJobs.class);

    private final Registry registry = new Registry();
    private final List<ClassesCopy> copies = new ArrayList<>();
    private @Nullable URLClassLoader loader;

    private LoadedJobs() {}

    static LoadedJobs load(JobsConfig config) {
        var loaded = new LoadedJobs();
        try {
            if (config.demo()) {
                loaded.add(new DemoJobs());
                Confinement.impossible()
                        .ifPresentOrElse(
                                reason -> LOG.warn("demo jobs that would harm others are left out: {}", reason),
                                () -> loaded.add(new IsolatedDemoJobs()));
            }
            if (config.allowCommands()) {
                loaded.registry.register(Commands.any());
            }
            List<String> networks = config.httpNetworks();
            if (networks != null) {
                loaded.registry.register(HttpJob.definition(networks));
            }
            if (!config.podImages().isEmpty()) {
                loaded.registry.register(Pods.any(config.podImages()));
            }
            Path commands = config.commands();
            if (commands != null) {
                CommandFile.read(commands).forEach(loaded.registry::register);
            }
            if (!config.paths().isEmpty()) {
                loaded.addAll(config.paths(), isolation(config));
            }
            return loaded;
        } catch (RuntimeException | Error e) {
            loaded.close();
            throw e;
        }
    }

    /**
     * Returns the isolation of user code. By default it runs in separate processes, so that it can neither crash the
     * server nor block its threads.
     */
    private static Isolation isolation(JobsConfig config) {
        Isolation chosen = config.isolation();
        if (chosen != null) {
            return chosen;
        }
        return Confinement.impossible()
                .map(reason -> {
                    LOG.warn("definitions of --jobs run in threads of this process: {}", reason);
                    return Isolation.thread();
                })
                .orElseGet(Isolation::process);
    }

    private void addAll(List<Path> paths, Isolation isolation) {
        String shown = paths.stream().map(Path::toString).collect(Collectors.joining(","));
        try {
            var open = new URLClassLoader("jobs", urls(paths), LoadedJobs.class.getClassLoader());
            loader = open;
            List<ServiceLoader.Provider<JobDefinitions>> providers =
                    ServiceLoader.load(JobDefinitions.class, open).stream()
                            .filter(provider -> provider.type().getClassLoader() == open)
                            .toList();
            if (providers.isEmpty()) {
                throw wrong(
                        shown,
                        "a class that implements " + JobDefinitions.class.getName()
                                + " and is named in META-INF/services/" + JobDefinitions.class.getName(),
                        null);
            }
            providers.forEach(provider -> {
                for (JobDefinition<?, ?> definition : provider.get().definitions()) {
                    registry.register(definition.withDefaultIsolation(isolation));
                }
            });
        } catch (LonghaulException e) {
            throw e;
        } catch (IOException e) {
            throw wrong(shown, "jars or directories that can be read; " + e, e);
        } catch (ServiceConfigurationError | LinkageError | RuntimeException e) {
            throw wrong(shown, "definitions that can be loaded; " + reason(e), e);
        }
    }

    /** Returns the message of the innermost cause. The outer exceptions only report that a class could not be used. */
    private static String reason(Throwable failure) {
        Throwable inner = failure;
        while (inner.getCause() != null) {
            inner = inner.getCause();
        }
        return inner == failure || failure.getMessage() == null
                ? inner.toString()
                : failure.getMessage() + ": " + inner;
    }

    private static LonghaulException wrong(String paths, String expected, @Nullable Throwable cause) {
        return new LonghaulException(
                ErrorCode.INVALID_ARGUMENT, "jobs: " + paths + " (expected: " + expected + ")", cause);
    }

    private URL[] urls(List<Path> paths) throws IOException {
        var urls = new URL[paths.size()];
        for (int i = 0; i < urls.length; i++) {
            Path path = paths.get(i);
            if (Files.isDirectory(path)) {
                var copy = ClassesCopy.of(path);
                copies.add(copy);
                path = copy.directory();
            }
            urls[i] = path.toUri().toURL();
        }
        return urls;
    }

    private void add(JobDefinitions definitions) {
        for (JobDefinition<?, ?> definition : definitions.definitions()) {
            registry.register(definition);
        }
    }

    Registry registry() {
        return registry;
    }

    JobDefinition<?, ?>[] definitions() {
        return registry.all().toArray(JobDefinition<?, ?>[]::new);
    }

    @Override
    public void close() {
        try (URLClassLoader open = loader) {
            LOG.debug("closing the class loader {}", open);
        } catch (IOException e) {
            LOG.debug("the class loader of the jobs could not be closed", e);
        }
        copies.forEach(ClassesCopy::close);
    }
}
