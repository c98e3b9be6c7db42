package dev.longhaul.process.sitter;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.TimeUnit;

/**
 * The main class of the sitter, a small process next to a worker. The worker reports every process tree before the tree
 * starts, and renews the tree's deadline. The sitter kills a tree whose deadline has passed, and all trees when the
 * worker dies. It needs no library, and runs in its own session, so that signals for the worker do not reach it.
 *
 * <p>Lines on its input: {@code + tree}, {@code - id}, {@code until id milliseconds}.
 */
public final class SitterMain {
    /** The deadline value of a tree that may live until the worker ends. */
    public static final String WORKER_ENDS = "end";

    private final Map<String, Sat> trees = new HashMap<>();
    /** Whether the worker has ended. */
    private volatile boolean alone;

    private static final class Sat {
        final ProcessTree tree;
        long deadline = Long.MAX_VALUE;

        Sat(ProcessTree tree) {
            this.tree = tree;
        }

        long left() {
            return deadline == Long.MAX_VALUE ? Long.MAX_VALUE : deadline - System.nanoTime();
        }
    }

    private SitterMain() {}

    public static void main(String[] arguments) throws InterruptedException {
        rehearse();
        System.out.println("ready");
        var sitter = new SitterMain();
        var reader = new Thread(sitter::read, "reader");
        reader.setDaemon(true);
        reader.start();
        while (!sitter.alone) {
            sitter.killOverdue();
        }
        sitter.killAll();
    }

    /**
     * Runs every kill method on trees that do not exist, to load all classes at the start: an upgrade may replace the jar
     * before the sitter needs them.
     */
    private static void rehearse() {
        Path nowhere = Path.of("/nonexistent/longhaul");
        for (KillMethod method : KillMethod.values()) {
            boolean cgroup = method == KillMethod.CGROUP_KILL || method == KillMethod.CGROUP_FREEZER;
            String place = cgroup ? nowhere.toString() : String.valueOf(Integer.MAX_VALUE);
            var sitter = new SitterMain();
            sitter.handle("+ " + new ProcessTree("none", method, place, List.of(), nowhere).text());
            sitter.handle("until none " + WORKER_ENDS);
            sitter.killAll();
            sitter.handle("- none");
        }
        Signals.load();
    }

    private void read() {
        try (var lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8))) {
            for (String line = lines.readLine(); line != null; line = lines.readLine()) {
                handle(line);
            }
        } catch (IOException e) {
            System.err.println("longhaul sitter: " + e);
        } finally {
            synchronized (this) {
                alone = true;
                notifyAll();
            }
        }
    }

    private synchronized void handle(String line) {
        int space = line.indexOf(' ');
        String rest = line.substring(space + 1);
        switch (line.substring(0, space)) {
            case "+" -> {
                var tree = ProcessTree.parse(rest);
                trees.put(tree.id(), new Sat(tree));
            }
            case "-" -> trees.remove(rest);
            default -> {
                String[] parts = rest.split(" ", 2);
                Sat sat = trees.get(parts[0]);
                if (sat != null) {
                    sat.deadline = parts[1].equals(WORKER_ENDS)
                            ? Long.MAX_VALUE
                            : System.nanoTime() + TimeUnit.MILLISECONDS.toNanos(Long.parseLong(parts[1]));
                    notifyAll();
                }
            }
        }
    }

    /** Waits until a deadline has passed or the worker has ended, and kills the trees whose deadline has passed. */
    private void killOverdue() throws InterruptedException {
        List<ProcessTree> overdue = new ArrayList<>();
        synchronized (this) {
            for (long next = untilNext(); next > 0 && !alone; next = untilNext()) {
                wait(next == Long.MAX_VALUE ? 0 : next / 1_000_000 + 1);
            }
            for (Sat sat : trees.values()) {
                if (sat.left() <= 0) {
                    overdue.add(sat.tree);
                    sat.deadline = Long.MAX_VALUE;
                }
            }
        }
        // The files are left to the worker, which removes them if it resumes.
        overdue.parallelStream().forEach(TreeKiller::kill);
    }

    private long untilNext() {
        return trees.values().stream().mapToLong(Sat::left).min().orElse(Long.MAX_VALUE);
    }

    private synchronized void killAll() {
        // Trees are killed in parallel, so that one slow tree does not delay the others.
        trees.values().parallelStream().forEach(sat -> TreeKiller.kill(sat.tree));
        trees.values().forEach(sat -> TreeKiller.remove(sat.tree));
    }
}
