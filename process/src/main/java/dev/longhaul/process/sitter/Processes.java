package dev.longhaul.process.sitter;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A snapshot of the processes on this machine, read from /proc. */
public final class Processes {
    private static final Path PROC = Path.of("/proc");
    private static final int PAGE_BYTES = 4096;
    private static final Pattern PSS = Pattern.compile("(?m)^Pss: +(\\d+) kB$");
    /** Field index in /proc/PID/stat, counted after the name in parentheses. */
    private static final int STATE = 0;

    private static final int PARENT = 1;
    private static final int SESSION = 3;

    private final List<Stat> all;

    private Processes(List<Stat> all) {
        this.all = all;
    }

    public static Processes none() {
        return new Processes(List.of());
    }

    /** Takes a snapshot. */
    public static Processes now() {
        return new Processes(stats());
    }

    /** Returns a value that changes whenever a process starts: if it is unchanged, no process has started since. */
    public static String newest() {
        String load = read(PROC.resolve("loadavg"));
        return load.substring(load.lastIndexOf(' ') + 1);
    }

    Set<Long> living() {
        return all.stream().filter(stat -> !stat.dead).map(Stat::pid).collect(Collectors.toSet());
    }

    private record Stat(long pid, long parent, long session, boolean dead) {}

    /**
     * Returns the process, its descendants, and all processes in their sessions. The session also contains descendants
     * whose parent has exited.
     */
    public Set<Long> family(long first) {
        var family = new HashSet<Long>();
        var sessions = new HashSet<Long>();
        sessions.add(first);
        long ours = all.stream()
                .filter(stat -> stat.pid == ProcessHandle.current().pid())
                .findFirst()
                .map(Stat::session)
                .orElse(0L);
        boolean grown = true;
        while (grown) {
            grown = false;
            for (Stat stat : all) {
                boolean belongs = stat.pid == first || family.contains(stat.parent) || sessions.contains(stat.session);
                if (belongs && !stat.dead && family.add(stat.pid)) {
                    grown = true;
                    if (stat.session != ours) {
                        sessions.add(stat.session);
                    }
                }
            }
        }
        return family;
    }

    /** Returns {@code outer} and the processes in the PID namespace whose first process is a child of {@code outer}. */
    public Set<Long> ofNamespace(long outer) {
        var found = new HashSet<Long>();
        Map<Long, String> namespaces = new HashMap<>();
        Optional<String> ours = namespace(ProcessHandle.current().pid());
        for (Stat stat : all) {
            if (stat.pid == outer && !stat.dead) {
                found.add(outer);
            }
            namespace(stat.pid).ifPresent(namespace -> namespaces.put(stat.pid, namespace));
        }
        Set<String> inner = new HashSet<>();
        for (Stat stat : all) {
            String namespace = namespaces.get(stat.pid);
            // A process that was forked while outer was killed is an orphan, but still belongs to its session.
            boolean belongs = stat.parent == outer || stat.session == outer;
            if (belongs && namespace != null && !ours.equals(Optional.of(namespace))) {
                inner.add(namespace);
            }
        }
        for (Stat stat : all) {
            String namespace = namespaces.get(stat.pid);
            if (!stat.dead && namespace != null && inner.contains(namespace)) {
                found.add(stat.pid);
            }
        }
        return found;
    }

    static boolean isAlive(long pid) {
        return stat(PROC.resolve(String.valueOf(pid)))
                .filter(stat -> !stat.dead)
                .isPresent();
    }

    /** Returns the sum of the resident memory of the processes. Counts shared pages once per process. */
    public static long residentBytes(Collection<Long> pids) {
        long pages = 0;
        for (long pid : pids) {
            String[] fields = read(PROC.resolve(pid + "/statm")).split(" ");
            pages += fields.length > 1 ? Long.parseLong(fields[1]) : 0;
        }
        return pages * PAGE_BYTES;
    }

    /** Like {@link #residentBytes}, but counts shared pages once; slower. */
    public static long proportionalBytes(Collection<Long> pids) {
        long bytes = 0;
        for (long pid : pids) {
            Matcher pss = PSS.matcher(read(PROC.resolve(pid + "/smaps_rollup")));
            // If this process may not read smaps, the resident memory is used instead.
            bytes += pss.find() ? 1024 * Long.parseLong(pss.group(1)) : residentBytes(List.of(pid));
        }
        return bytes;
    }

    static Set<Long> numbers(List<String> lines) {
        var numbers = new HashSet<Long>();
        for (String line : lines) {
            numbers.add(Long.parseLong(line.strip()));
        }
        return numbers;
    }

    private static Optional<String> namespace(long pid) {
        try {
            return Optional.of(
                    Files.readSymbolicLink(PROC.resolve(pid + "/ns/pid")).toString());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    private static List<Stat> stats() {
        var stats = new ArrayList<Stat>();
        try (Stream<Path> entries = Files.list(PROC)) {
            entries.filter(entry ->
                            Character.isDigit(entry.getFileName().toString().charAt(0)))
                    .forEach(entry -> stat(entry).ifPresent(stats::add));
        } catch (IOException e) {
            return List.of();
        }
        return stats;
    }

    private static Optional<Stat> stat(Path process) {
        String text = read(process.resolve("stat"));
        int end = text.lastIndexOf(')');
        if (end < 0) {
            return Optional.empty();
        }
        String[] fields = text.substring(end + 2).split(" ");
        char state = fields[STATE].charAt(0);
        return Optional.of(new Stat(
                Long.parseLong(process.getFileName().toString()),
                Long.parseLong(fields[PARENT]),
                Long.parseLong(fields[SESSION]),
                state == 'Z' || state == 'X'));
    }

    private static String read(Path file) {
        try {
            return Files.readString(file, StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            // The process has exited.
            return "";
        }
    }
}
