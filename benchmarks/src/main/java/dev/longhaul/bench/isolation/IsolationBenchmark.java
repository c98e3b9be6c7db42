package dev.longhaul.bench.isolation;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobResult;
import dev.longhaul.Longhaul;
import dev.longhaul.bench.isolation.IsolatedJobs.Began;
import dev.longhaul.bench.isolation.IsolatedJobs.Nothing;
import dev.longhaul.bench.measure.EngineTable;
import dev.longhaul.bench.measure.Figures;
import dev.longhaul.bench.measure.Load;
import dev.longhaul.bench.measure.Options;
import dev.longhaul.bench.measure.Target;
import dev.longhaul.json.Json;
import dev.longhaul.process.child.ChildMain;
import dev.longhaul.process.command.CommandResult;
import dev.longhaul.process.command.Commands;
import java.io.IOException;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Objects;
import java.util.concurrent.atomic.LongAdder;

/**
 * Measures the cost of a separate process per run; {@code longhaul bench isolation} starts it. Jobs are stored in memory,
 * because only the time from a run's start to the start of its code matters here.
 */
public final class IsolationBenchmark {
    private static final int RUNS = 100;
    private static final long PAUSE_MILLIS = 200;
    private static final int LOOPS = 4;
    private static final double SECONDS = 5;

    private final Options options;
    private final PrintStream out;
    private final EngineTable table;

    private IsolationBenchmark(Options options, PrintStream out) {
        this.options = options;
        this.out = out;
        this.table = new EngineTable("isolation", options);
    }

    public static EngineTable run(Options options, PrintStream out) throws Exception {
        var benchmark = new IsolationBenchmark(options, out);
        try {
            benchmark.latencies();
            benchmark.commands();
        } finally {
            out.println("\n" + benchmark.table);
        }
        return benchmark.table;
    }

    private void progress(String message, Object... values) {
        out.println(String.format(Locale.ROOT, message, values));
    }

    private void latencies() throws Exception {
        int runs = Math.max(3, (int) (RUNS * options.scale()));
        Figures thread;
        Figures warm;
        try (Longhaul longhaul = Longhaul.builder()
                .memory()
                .register(IsolatedJobs.THREAD, IsolatedJobs.WARM)
                .start()) {
            progress("latency: %d runs each in a thread and in a warm process, 5 a second", runs);
            thread = each(longhaul, IsolatedJobs.THREAD, runs);
            warm = each(longhaul, IsolatedJobs.WARM, runs);
            memory();
        }
        Figures cold = cold(Math.max(3, (int) (IsolatedJobs.cold().size() * options.scale())));
        table.millis("start to handler, warm process, p50", warm.median(), thread.median(), Target.atMost(15));
        table.millis(
                "start to handler, warm process, p99", warm.percentile(99), thread.percentile(99), Target.atMost(100));
        table.alone("start to handler, cold process, p50", Figures.millis(cold.median()), EngineTable.noTarget());
        table.alone("start to handler, cold process, p99", Figures.millis(cold.percentile(99)), EngineTable.noTarget());
    }

    /** Returns the milliseconds from the call to the start of the handler, one call at a time. */
    private static Figures each(Longhaul longhaul, JobDefinition<Nothing, Began> definition, int runs)
            throws InterruptedException {
        for (int i = 0; i < 5; i++) {
            latency(longhaul, definition);
            Thread.sleep(PAUSE_MILLIS);
        }
        List<Double> millis = new ArrayList<>();
        for (int i = 0; i < runs; i++) {
            millis.add(latency(longhaul, definition));
            Thread.sleep(PAUSE_MILLIS);
        }
        return new Figures(millis);
    }

    private static double latency(Longhaul longhaul, JobDefinition<Nothing, Began> definition) {
        long start = IsolatedJobs.nowMicros();
        JobResult<Began> result = longhaul.nowUnstored(definition, new Nothing());
        return (Objects.requireNonNull(result.data(), () -> String.valueOf(result))
                                .micros()
                        - start)
                / 1000.0;
    }

    private Figures cold(int runs) throws InterruptedException {
        progress("latency: %d runs in cold processes", runs);
        List<Double> millis = new ArrayList<>();
        for (JobDefinition<Nothing, Began> definition : IsolatedJobs.cold().subList(0, runs)) {
            // A Longhaul that claims no jobs starts no idle process in advance, so every run needs a new process.
            try (Longhaul longhaul = Longhaul.builder()
                    .memory()
                    .register(definition)
                    .enqueueOnly()
                    .start()) {
                millis.add(latency(longhaul, definition));
            }
        }
        return new Figures(millis);
    }

    /** Measures the memory of a waiting process: its own pages, and its share of shared pages. */
    private void memory() throws IOException {
        for (ProcessHandle process : ProcessHandle.current().descendants().toList()) {
            Path directory = Path.of("/proc", String.valueOf(process.pid()));
            String command = Files.readString(directory.resolve("cmdline"), StandardCharsets.ISO_8859_1);
            Path rollup = directory.resolve("smaps_rollup");
            if (command.contains(ChildMain.class.getName()) && Files.isReadable(rollup)) {
                String pss = Files.readAllLines(rollup).stream()
                        .filter(line -> line.startsWith("Pss:"))
                        .map(line -> line.replaceAll("\\D+", ""))
                        .findFirst()
                        .orElse("0");
                table.alone(
                        "memory of a process that waits", Long.parseLong(pss) / 1024 + " MiB", EngineTable.noTarget());
                return;
            }
        }
    }

    private void commands() throws Exception {
        JobDefinition<JsonNode, CommandResult> command = Commands.any();
        JsonNode params = Objects.requireNonNull(Json.read("{\"argv\":[\"true\"]}", JsonNode.class));
        List<Double> bare = new ArrayList<>();
        List<Double> ours = new ArrayList<>();
        List<Double> bareRates = new ArrayList<>();
        List<Double> ourRates = new ArrayList<>();
        try (Longhaul longhaul =
                Longhaul.builder().memory().register(command).enqueueOnly().start()) {
            Load.Work runOurs = () -> longhaul.nowUnstored(command, params);
            for (int i = 0; i < 20; i++) {
                millis(IsolationBenchmark::runBare);
                millis(runOurs);
            }
            progress("commands: latency, in turn with a bare ProcessBuilder");
            for (int i = 0; i < Math.max(5, 3 * RUNS * options.scale()); i++) {
                bare.add(millis(IsolationBenchmark::runBare));
                ours.add(millis(runOurs));
            }
            for (int round = 1; round <= options.rounds(); round++) {
                bareRates.add(rate(IsolationBenchmark::runBare));
                ourRates.add(rate(runOurs));
                progress(
                        "commands: round %d, bare %.0f/s, as jobs %.0f/s",
                        round, bareRates.get(round - 1), ourRates.get(round - 1));
            }
        }
        var control = new Figures(bare);
        var measured = new Figures(ours);
        table.ratio("a command, p50", measured.median(), control.median(), Target.atMost(2));
        table.ratio("a command, p99", measured.percentile(99), control.percentile(99), Target.atMost(2));
        table.rate(
                "commands, " + LOOPS + " at once", new Figures(ourRates), new Figures(bareRates), Target.atLeast(0.7));
    }

    private static void runBare() throws IOException, InterruptedException {
        Process process = new ProcessBuilder("true").start();
        process.getOutputStream().close();
        process.getInputStream().readAllBytes();
        process.getErrorStream().readAllBytes();
        process.waitFor();
    }

    private static double millis(Load.Work work) throws Exception {
        long start = System.nanoTime();
        work.run();
        return (System.nanoTime() - start) / 1e6;
    }

    private double rate(Load.Work work) throws Exception {
        long nanos = (long) (options.seconds(SECONDS) * 1e9);
        var done = new LongAdder();
        var loops = new Load.Work[LOOPS];
        for (int i = 0; i < LOOPS; i++) {
            loops[i] = () -> {
                for (long end = System.nanoTime() + nanos; System.nanoTime() < end; ) {
                    work.run();
                    done.increment();
                }
            };
        }
        double seconds = Load.seconds(loops);
        return done.sum() / seconds;
    }
}
