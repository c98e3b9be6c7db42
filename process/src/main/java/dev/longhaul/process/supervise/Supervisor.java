package dev.longhaul.process.supervise;

import dev.longhaul.process.ProcessFigures;
import dev.longhaul.process.sitter.KillMethod;
import dev.longhaul.process.sitter.ProcessTree;
import dev.longhaul.process.sitter.SitterMain;
import dev.longhaul.process.sitter.TreeKiller;
import java.io.File;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import java.util.concurrent.locks.ReadWriteLock;
import java.util.concurrent.locks.ReentrantReadWriteLock;
import java.util.function.Function;
import org.jspecify.annotations.Nullable;

/**
 * Starts processes such that all their descendants can be killed: by the caller, or by the sitter if this process has died
 * or is stopped.
 */
public final class Supervisor implements AutoCloseable, SupervisedProcess.Keeper {
    private final Confinement confinement;
    private volatile @Nullable Path jarOfSitter;
    private final Sitter sitter = new Sitter(() -> Objects.requireNonNull(jarOfSitter));
    private final MemoryWatch memoryWatch = new MemoryWatch();
    private final ExecutorService cleaner = Executors.newSingleThreadExecutor(work -> {
        var thread = new Thread(work, "longhaul-cleaner");
        thread.setDaemon(true);
        return thread;
    });
    private final AtomicLong lastId = new AtomicLong();
    private final Set<SupervisedProcess> live = ConcurrentHashMap.newKeySet();
    /**
     * Held for reading while a process starts, and for writing while the supervisor closes, so that no process starts
     * after all others were killed.
     */
    private final ReadWriteLock opening = new ReentrantReadWriteLock();

    private volatile @Nullable OwnedDirectory home;
    private volatile @Nullable NestedJars nestedJars;
    private volatile boolean closed;

    public Supervisor(Confinement confinement) {
        this.confinement = confinement;
    }

    public Confinement confinement() {
        return confinement;
    }

    /** Starts a process with the given stdin; null means empty. */
    public SupervisedProcess start(Launch launch, @Nullable String stdin) throws IOException {
        confinement.require(launch.limits());
        SupervisedProcess process = start(directory -> launch);
        feed(process, stdin == null ? "" : stdin);
        return process;
    }

    /** Starts a process whose launch depends on its private directory. */
    public SupervisedProcess start(Function<Path, Launch> launcher) throws IOException {
        opening.readLock().lock();
        try {
            if (closed) {
                throw new IOException("the worker is shutting down; no new processes are started");
            }
            return startNow(launcher);
        } finally {
            opening.readLock().unlock();
        }
    }

    private SupervisedProcess startNow(Function<Path, Launch> launcher) throws IOException {
        String id = newId();
        Path directory = user().createDirectory(home().resolve(id));
        Cgroups cgroups = confinement.cgroups();
        try {
            Launch launch = launcher.apply(directory);
            return cgroups == null ? startKnown(id, launch, directory) : startIn(cgroups, id, launch, directory);
        } catch (IOException | RuntimeException e) {
            removeVariables(directory);
            TreeKiller.removeAll(directory);
            throw e;
        }
    }

    private ProcessUser user() {
        return confinement.user();
    }

    private String newId() {
        return "run" + lastId.incrementAndGet();
    }

    private static void feed(SupervisedProcess process, String stdin) {
        if (stdin.isEmpty()) {
            write(process, stdin);
            return;
        }
        var thread = new Thread(() -> write(process, stdin), "longhaul-stdin-" + process.pid());
        thread.setDaemon(true);
        thread.start();
    }

    private static void write(SupervisedProcess process, String stdin) {
        try (OutputStream in = process.stdin()) {
            in.write(stdin.getBytes(StandardCharsets.UTF_8));
        } catch (IOException e) {
            // The process has exited or closed its stdin.
        }
    }

    /** Starts a process in a cgroup. The sitter knows the cgroup before a process enters it. */
    private SupervisedProcess startIn(Cgroups cgroups, String id, Launch launch, Path directory) throws IOException {
        Cgroups.Group group = cgroups.create(id, launch.limits());
        var tree =
                new ProcessTree(id, confinement.killMethod(), group.killPlace().toString(), group.all(), directory);
        try {
            sitter.watch(tree, launch.nanosLeft());
            Process process = builder(Launcher.inCgroups(group.all(), user()), launch, directory)
                    .start();
            return supervised(process, tree, group, launch.limits());
        } catch (IOException | RuntimeException e) {
            TreeKiller.remove(tree);
            sitter.forget(tree);
            throw e;
        }
    }

    /**
     * Starts a process that waits for a line on its stdin; the line is sent once the sitter watches it. If the worker dies
     * before that, stdin closes and the new process exits.
     */
    private SupervisedProcess startKnown(String id, Launch launch, Path directory) throws IOException {
        var words = new ArrayList<>(Launcher.whenKnown(user()));
        if (confinement.killMethod() == KillMethod.PID_NAMESPACE) {
            words.addAll(Launcher.inPidNamespace().orElseThrow());
        }
        Process process = builder(words, launch, directory).start();
        var tree = new ProcessTree(id, confinement.killMethod(), String.valueOf(process.pid()), List.of(), directory);
        try {
            sitter.watch(tree, launch.nanosLeft());
        } catch (RuntimeException e) {
            process.destroyForcibly();
            sitter.forget(tree);
            throw e;
        }
        try {
            process.getOutputStream().write('\n');
            process.getOutputStream().flush();
        } catch (IOException e) {
            // The process has exited; await() reports it.
        }
        return supervised(process, tree, null, launch.limits());
    }

    private SupervisedProcess supervised(
            Process process, ProcessTree tree, Cgroups.@Nullable Group group, ProcessLimits limits) {
        MemoryWatch.Watched memory = confinement.countsMemory() ? null : memoryWatch.watch(tree, limits.memoryBytes());
        var supervised = new SupervisedProcess(process, tree, group, memory, this);
        live.add(supervised);
        ProcessFigures.hasStarted();
        if (group != null && group.killsOnlyOne()) {
            memoryWatch.watch(supervised);
        }
        return supervised;
    }

    private ProcessBuilder builder(List<String> words, Launch launch, Path directory) throws IOException {
        var command = new ArrayList<>(words);
        Map<String, String> variables = Environment.of(launch, directory);
        String start = launch.directory() == null ? directory.toString() : launch.directory();
        if (!user().isOther()) {
            command.addAll(launch.command());
            return builder(command, variables, start);
        }
        // Variables of the job, such as LD_PRELOAD, must not affect programs that still run as the worker's user.
        var exports = Exports.of(variables);
        Path file = user().write(variables(directory), exports.script());
        command.addAll(Launcher.withVariables(file, start));
        command.addAll(exports.before(launch.command()));
        return builder(command, Map.of(), directory.toString());
    }

    private static ProcessBuilder builder(List<String> command, Map<String, String> variables, String directory) {
        var builder = new ProcessBuilder(command).directory(new File(directory));
        builder.environment().clear();
        builder.environment().putAll(variables);
        return builder;
    }

    /** Returns the file from which the shell of another user reads the variables of the process with that directory. */
    private static Path variables(Path directory) {
        return directory.resolveSibling(directory.getFileName() + ".variables");
    }

    private static void removeVariables(Path directory) {
        try {
            Files.deleteIfExists(variables(directory));
        } catch (IOException e) {
            // The file is removed with the parent directory when this process ends.
        }
    }

    @Override
    public void renewed(SupervisedProcess process) {
        sitter.renew(process.tree());
    }

    @Override
    public void ended(SupervisedProcess process) {
        live.remove(process);
        ProcessFigures.hasEnded();
        memoryWatch.forget(process);
        discard(process.tree());
    }

    /** Returns why processes cannot be started; null if no problem is known. */
    @Nullable
    public String problem() {
        return sitter.problem();
    }

    /** Kills the tree and removes its files in the background. */
    private void discard(ProcessTree tree) {
        Runnable work = () -> {
            TreeKiller.kill(tree);
            removeVariables(tree.directory());
            TreeKiller.remove(tree);
            sitter.forget(tree);
        };
        try {
            cleaner.execute(work);
        } catch (RejectedExecutionException e) {
            // The supervisor is closed, so the calling thread does the work.
            work.run();
        }
    }

    private synchronized Path home() throws IOException {
        OwnedDirectory ours = home;
        if (ours == null) {
            // The directory is private to the worker: the process user cannot list it.
            ours = OwnedDirectory.create("longhaul-work-");
            try {
                user().openPassage(ours.path());
                var jars = new NestedJars(user().createPassage(ours.path().resolve("jars")), user());
                jarOfSitter = jars.fileOf(ClassPlace.of(SitterMain.class));
                nestedJars = jars;
            } catch (IOException | RuntimeException e) {
                ours.close();
                throw e;
            }
            home = ours;
            // Registers a tree without processes, so that the sitter removes the directory when this process dies.
            sitter.watch(
                    new ProcessTree("home", KillMethod.CGROUP_KILL, ours.path().toString(), List.of(), ours.path()),
                    () -> Long.MAX_VALUE);
        }
        return ours.path();
    }

    /**
     * Returns the copies of classes that this process loads from an executable jar; they are removed with this process.
     */
    public NestedJars nestedJars() throws IOException {
        home();
        return Objects.requireNonNull(nestedJars);
    }

    /** Creates another private directory that the process user can traverse but not list; removed with this process. */
    public Path newDirectory(String name) throws IOException {
        return user().createPassage(home().resolve(name));
    }

    /** Waits until starts in progress have finished, and prevents new ones. */
    private void stopStarting() {
        opening.writeLock().lock();
        try {
            closed = true;
        } finally {
            opening.writeLock().unlock();
        }
    }

    /** Kills running processes and rejects new ones. */
    @Override
    public void close() {
        stopStarting();
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
        OwnedDirectory ours = home;
        if (ours != null) {
            ours.close();
        }
    }
}
