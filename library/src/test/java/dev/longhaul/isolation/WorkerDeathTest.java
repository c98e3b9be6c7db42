package dev.longhaul.isolation;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.parallel.Isolated;

/** The fate of a worker's processes when the worker is killed, or stopped for longer than its lease. */
@Tag("full")
@Tag("jdk")
@Isolated // Measures durations.
class WorkerDeathTest {
    private static final int TREES = 10;
    private static final Duration LEASE = Duration.ofSeconds(2);
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(30);
    /** A short pause, because the awaited processes need the processors. */
    private static final long POLL_NANOS = TimeUnit.MILLISECONDS.toNanos(5);

    private final String mark = "longhaul-" + UUID.randomUUID();
    private final Path temporary = newDirectory();
    private final Process worker = start();

    private static Path newDirectory() {
        try {
            return Files.createTempDirectory("longhaul-death-");
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    private Process start() {
        try {
            return new ProcessBuilder(
                            Path.of(System.getProperty("java.home"), "bin", "java")
                                    .toString(),
                            "-Xmx128m",
                            "-XX:+UseSerialGC",
                            "-XX:TieredStopAtLevel=1",
                            "-Djava.io.tmpdir=" + temporary,
                            "-cp",
                            System.getProperty("java.class.path"),
                            DoomedWorker.class.getName(),
                            mark,
                            String.valueOf(LEASE.toMillis()),
                            String.valueOf(TREES))
                    .redirectError(ProcessBuilder.Redirect.INHERIT)
                    .start();
        } catch (IOException e) {
            throw new IllegalStateException(e);
        }
    }

    @AfterEach
    void end() throws IOException {
        worker.destroyForcibly().onExit().join();
        awaitRemoved();
    }

    /** The processes with the mark, and child processes of the worker; without the worker itself. */
    private List<String> left() throws IOException {
        try (Stream<Path> processes = Files.list(Path.of("/proc"))) {
            return processes
                    .filter(process ->
                            Character.isDigit(process.getFileName().toString().charAt(0)))
                    .filter(process -> !process.getFileName().toString().equals(String.valueOf(worker.pid())))
                    .map(process -> {
                        try {
                            return process.getFileName() + " "
                                    + Files.readString(process.resolve("cmdline"), StandardCharsets.ISO_8859_1)
                                            .replace('\0', ' ')
                                    + Files.readString(process.resolve("environ"), StandardCharsets.ISO_8859_1)
                                            .replace('\0', ' ');
                        } catch (IOException e) {
                            return "";
                        }
                    })
                    .filter(line -> line.contains(mark))
                    .toList();
        }
    }

    /** Returns the process of its Java code. */
    private ProcessHandle awaitReady() throws IOException {
        BufferedReader output = worker.inputReader();
        String line = output.readLine();
        while (line != null && !line.startsWith("ready ")) {
            line = output.readLine();
        }
        assertThat(line).as("its output").isNotNull();
        long pid = Long.parseLong(String.valueOf(line).substring("ready ".length()));
        long end = System.nanoTime() + PATIENCE;
        // Two shells of each of nine commands, and the daemon instead of one.
        while (left().size() < 2 * (TREES - 1)) {
            assertThat(System.nanoTime()).isLessThan(end);
            LockSupport.parkNanos(POLL_NANOS);
        }
        return ProcessHandle.of(pid).orElseThrow();
    }

    /** Whether it is running; a zombie is not. */
    private static boolean runs(ProcessHandle process) {
        try {
            String stat = Files.readString(Path.of("/proc", String.valueOf(process.pid()), "stat"));
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException e) {
            return false;
        }
    }

    private Duration untilGone(List<ProcessHandle> others) throws IOException {
        long start = System.nanoTime();
        while (!left().isEmpty() || others.stream().anyMatch(WorkerDeathTest::runs)) {
            assertThat(System.nanoTime() - start).as("%s", left()).isLessThan(PATIENCE);
            LockSupport.parkNanos(POLL_NANOS);
        }
        return Duration.ofNanos(System.nanoTime() - start);
    }

    @Test
    void all_of_them_end_when_it_is_killed() throws Exception {
        awaitReady();
        // Without the sitter, which ends last.
        List<ProcessHandle> all = worker.descendants()
                .filter(process -> !process.info().commandLine().orElse("").contains("SitterMain"))
                .toList();
        worker.destroyForcibly().onExit().join();
        Duration took = untilGone(all);
        System.out.println("trees of a killed worker: gone after " + took.toMillis() + " ms");
        assertThat(took).isLessThan(Duration.ofSeconds(1));
    }

    /** Waits until its files are removed, too. */
    private void awaitRemoved() throws IOException {
        long end = System.nanoTime() + PATIENCE;
        while (!removed(temporary)) {
            assertThat(System.nanoTime()).as("files of the worker").isLessThan(end);
            LockSupport.parkNanos(POLL_NANOS);
        }
    }

    private static boolean removed(Path directory) throws IOException {
        try {
            Files.deleteIfExists(directory);
            return true;
        } catch (DirectoryNotEmptyException e) {
            return false;
        }
    }

    @Test
    void all_of_them_end_when_it_is_stopped() throws Exception {
        ProcessHandle java = awaitReady();
        assertThat(new ProcessBuilder("kill", "-STOP", String.valueOf(worker.pid()))
                        .start()
                        .waitFor())
                .isZero();
        Duration took = untilGone(List.of(java));
        System.out.println(
                "trees of a stopped worker: gone after " + took.toMillis() + " ms, lease " + LEASE.toMillis() + " ms");
        assertThat(took).isLessThan(LEASE.plusSeconds(2));
    }
}
