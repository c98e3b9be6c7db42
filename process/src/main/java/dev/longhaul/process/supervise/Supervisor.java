package dev.longhaul.process.supervise;

import dev.longhaul.process.ProcessFigures;
import dev.longhaul.process.sitter.KillMethod;
import dev.longhaul.process.sitter.ProcessTree;
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
 * Starts processes so that all they ever start can be ended: by whoever holds them, and by the sitter if this process is gone or
 * stands still.
 */
public final class Supervisor implements AutoCloseable, SupervisedProcess.Keeper {
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
    /** Held by whoever starts a process, so that none begins when the others have been ended. */
    private final ReadWriteLock opening = new ReentrantReadWriteLock();

    private volatile @Nullable OwnedDirectory home;
    private volatile boolean closed;

    public Supervisor(Confinement confinement) {
        this.confinement = confinement;
    }

    public Confinement confinement() {
        return confinement;
    }

    /** Starts a process that reads the text; null is the same as an empty text. */
    public SupervisedProcess start(Launch launch, @Nullable String stdin) throws IOException {
        confinement.require(launch.limits());
        SupervisedProcess process = start(directory -> launch);
        feed(process, stdin == null ? "" : stdin);
        return process;
    }

    /** Starts a process that is to know its own directory. */
    public SupervisedProcess start(Function<Path, Launch> launcher) throws IOException {
        opening.readLock().lock();
        try {
            if (closed) {
                throw new IOException("no more processes are started: the worker shuts down");
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
            // It has ended, or does not want to know.
        }
    }

    /** The sitter knows the cgroup before there is a process in it. */
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

    /** The process waits until the sitter knows it: if we died before, its input would end and so would it. */
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
            // It has ended, which whoever waits for it will see.
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
        // What still runs as the worker must not do what variables of a job tell it to, LD_PRELOAD for one.
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

    /** Where the variables of a process with that directory are that another user's shell reads. */
    private static Path variables(Path directory) {
        return directory.resolveSibling(directory.getFileName() + ".variables");
    }

    private static void removeVariables(Path directory) {
        try {
            Files.deleteIfExists(variables(directory));
        } catch (IOException e) {
            // It goes with all the others when this process ends.
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

    /** Why no process can be started; null if nothing is known to be wrong. */
    @Nullable
    public String problem() {
        return sitter.problem();
    }

    /** Kills the tree and removes its files, without making the caller wait for it. */
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
            // Closed: the caller's thread does it.
            work.run();
        }
    }

    private synchronized Path home() throws IOException {
        OwnedDirectory ours = home;
        if (ours == null) {
            // Readable by nobody else, and not even by whom processes run as.
            ours = OwnedDirectory.create("longhaul-work-");
            home = ours;
            user().openPassage(ours.path());
            // For the sitter a tree without processes, of which it removes the directory when this process is gone.
            sitter.watch(
                    new ProcessTree("home", KillMethod.CGROUP_KILL, ours.path().toString(), List.of(), ours.path()),
                    () -> Long.MAX_VALUE);
        }
        return ours.path();
    }

    /** Another directory that nobody else can read, in which processes can reach what is theirs; gone with this process. */
    public Path newDirectory(String name) throws IOException {
        return user().createPassage(home().resolve(name));
    }

    /** Returns when what is being started has been. */
    private void stopStarting() {
        opening.writeLock().lock();
        try {
            closed = true;
        } finally {
            opening.writeLock().unlock();
        }
    }

    /** Ends what still runs, and refuses to start more. */
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
