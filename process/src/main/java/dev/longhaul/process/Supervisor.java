package dev.longhaul.process;

import dev.longhaul.process.sitter.KillMethod;
import dev.longhaul.process.sitter.ProcessTree;
import dev.longhaul.process.sitter.TreeKiller;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;

/**
 * Starts processes so that all they ever start can be ended: by whoever holds them, and by the sitter if this process is gone or
 * stands still.
 */
final class Supervisor implements AutoCloseable, SupervisedProcess.Keeper {
    private final Confinement confinement;
    private final Sitter sitter = new Sitter();
    private final MemoryWatch memoryWatch = new MemoryWatch();
    private final ExecutorService cleaner = Executors.newSingleThreadExecutor(work -> {
        var thread = new Thread(work, "longhaul-cleaner");
        thread.setDaemon(true);
        return thread;
    });
    private final AtomicLong lastId = new AtomicLong();
    private final Set<SupervisedProcess> live = ConcurrentHashMap.newKeySet();
    private @Nullable Path home;

    Supervisor(Confinement confinement) {
        this.confinement = confinement;
    }

    Confinement confinement() {
        return confinement;
    }

    SupervisedProcess start(Launch launch) throws IOException {
        confinement.require(launch.limits());
        String id = "run" + lastId.incrementAndGet();
        Path directory = Files.createDirectory(home().resolve(id));
        Cgroups cgroups = confinement.cgroups();
        return cgroups == null ? startKnown(id, launch, directory) : startIn(cgroups, id, launch, directory);
    }

    /** The sitter knows the cgroup before there is a process in it. */
    private SupervisedProcess startIn(Cgroups cgroups, String id, Launch launch, Path directory) throws IOException {
        Cgroups.Group group = cgroups.create(id, launch.limits());
        var tree =
                new ProcessTree(id, confinement.killMethod(), group.killPlace().toString(), group.all(), directory);
        sitter.watch(tree, launch.nanosLeft());
        try {
            Process process =
                    builder(Launcher.inCgroups(group.all()), launch, directory).start();
            return supervised(process, tree, group, launch.limits());
        } catch (IOException e) {
            sitter.forget(tree);
            TreeKiller.remove(tree);
            throw e;
        }
    }

    /** The process waits until the sitter knows it: if we died before, its input would end and so would it. */
    private SupervisedProcess startKnown(String id, Launch launch, Path directory) throws IOException {
        var words = new ArrayList<>(Launcher.whenKnown());
        if (confinement.killMethod() == KillMethod.PID_NAMESPACE) {
            words.addAll(Launcher.inPidNamespace().orElseThrow());
        }
        Process process = builder(words, launch, directory).start();
        var tree = new ProcessTree(id, confinement.killMethod(), String.valueOf(process.pid()), List.of(), directory);
        sitter.watch(tree, launch.nanosLeft());
        try {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        } catch (IOException e) {
            // It has ended, which whoever waits for it will see.
        }
        return supervised(process, tree, null, launch.limits());
    }

    private SupervisedProcess supervised(
            Process process, ProcessTree tree, Cgroups.@Nullable Group group, ProcessLimits limits) {
        MemoryWatch.Watched memory = confinement.countsMemory() ? null : memoryWatch.watch(tree, limits.memoryBytes());
        var supervised = new SupervisedProcess(process, tree, group, memory, this);
        live.add(supervised);
        return supervised;
    }

    private ProcessBuilder builder(List<String> words, Launch launch, Path directory) {
        var command = new ArrayList<>(words);
        command.addAll(launch.command());
        var builder = new ProcessBuilder(command);
        String wanted = launch.directory();
        builder.directory(wanted == null ? directory.toFile() : Path.of(wanted).toFile());
        Map<String, String> variables = builder.environment();
        variables.clear();
        variables.putAll(Environment.of(directory, launch.environment()));
        return builder;
    }

    @Override
    public void renewed(SupervisedProcess process) {
        sitter.renew(process.tree());
    }

    @Override
    public void ended(SupervisedProcess process) {
        live.remove(process);
        // Nobody waits for that.
        cleaner.execute(() -> {
            TreeKiller.remove(process.tree());
            sitter.forget(process.tree());
        });
    }

    private synchronized Path home() throws IOException {
        if (home == null) {
            // Readable by nobody else.
            home = Files.createTempDirectory("longhaul-work-");
        }
        return home;
    }

    /** Ends what still runs. */
    @Override
    public synchronized void close() {
        live.forEach(SupervisedProcess::close);
        cleaner.shutdown();
        try {
            if (!cleaner.awaitTermination(10, TimeUnit.SECONDS)) {
                cleaner.shutdownNow();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        sitter.close();
        memoryWatch.close();
        confinement.close();
        try {
            if (home != null) {
                Files.deleteIfExists(home);
            }
        } catch (IOException e) {
            // Something of a job's is left in it.
        }
    }
}
