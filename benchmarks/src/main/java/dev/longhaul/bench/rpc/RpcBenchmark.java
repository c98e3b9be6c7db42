package dev.longhaul.bench.rpc;

import dev.longhaul.bench.measure.Bench;
import dev.longhaul.bench.measure.Engine;
import dev.longhaul.bench.measure.EngineTable;
import dev.longhaul.bench.measure.Figures;
import dev.longhaul.bench.measure.Menu;
import dev.longhaul.bench.measure.Noop;
import dev.longhaul.bench.measure.Options;
import dev.longhaul.bench.measure.Starts;
import dev.longhaul.bench.measure.Target;
import dev.longhaul.server.LonghaulServer;
import dev.longhaul.server.ServerConfig;
import dev.longhaul.server.access.RequestRates;
import java.io.IOException;
import java.io.PrintStream;
import java.lang.management.ManagementFactory;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Locale;

/** Measures the RPC services with clients in another process; {@code longhaul bench rpc} starts it. */
public final class RpcBenchmark {
    private static final double SECONDS = 10;
    private static final double WARM_UP_SECONDS = 15;
    private static final double PICKUP_TARGET_MILLIS = 30;
    private static final double IDLE_SECONDS = 20;
    private static final int[] WORKERS = {1, 8, 64};

    private RpcBenchmark() {}

    public static EngineTable run(Options options, PrintStream out) throws Exception {
        return EngineTable.fill(Menu.RPC, options, out, RpcBenchmark::measure);
    }

    private static void measure(Bench bench, EngineTable table) throws Exception {
        bench.fresh().close();
        var noop = Noop.definition(Engine::processMicros, new Starts(0));
        try (Engine engine = Engine.enqueueOnly(bench, noop);
                LonghaulServer server = LonghaulServer.start(engine.longhaul(), unlimited())) {
            bench.progress("rpc: warming up");
            double warmUp = bench.options().seconds(WARM_UP_SECONDS);
            load(bench, server, "roundTrips", 64, warmUp);
            load(bench, server, "empty", 64, warmUp);
            for (String name : bench.options().only()) {
                switch (name) {
                    case "workers" -> workers(bench, server, table);
                    case "pickup" -> pickup(bench, server, table);
                    case "events" -> events(bench, server, table);
                    case "standing" -> standing(bench, server, table);
                    default -> throw new IllegalArgumentException(name);
                }
            }
        }
    }

    private static void workers(Bench bench, LonghaulServer server, EngineTable table) throws Exception {
        double seconds = bench.options().seconds(SECONDS);
        for (int workers : WORKERS) {
            double rate = load(bench, server, "roundTrips", workers, seconds)[0];
            double strangers = workers == 1 ? rate : load(bench, server, "strangers", workers, seconds)[0];
            double empty = load(bench, server, "empty", workers, seconds)[0];
            var control = new Figures(List.of(empty));
            table.rate(
                    "dequeue -> complete, " + workers + " polls of one worker, beside empty calls",
                    new Figures(List.of(rate)),
                    control,
                    Target.atLeast(0));
            table.rate(
                    "  of as many workers, which cannot share a claim",
                    new Figures(List.of(strangers)),
                    control,
                    Target.atLeast(0));
        }
    }

    private static void pickup(Bench bench, LonghaulServer server, EngineTable table) throws Exception {
        double seconds = bench.options().seconds(SECONDS);
        double[] pickup = load(bench, server, "pickup", 1, seconds);
        double[] idle = load(bench, server, "emptyMillis", 1, seconds);
        table.millis(
                "pick-up by an idle worker, p50, from the call of enqueue",
                pickup[0],
                idle[0],
                Target.atMost(PICKUP_TARGET_MILLIS));
        table.millis(
                "pick-up by an idle worker, p99, from the call of enqueue",
                pickup[1],
                idle[1],
                Target.atMost(PICKUP_TARGET_MILLIS));
    }

    private static void events(Bench bench, LonghaulServer server, EngineTable table) throws Exception {
        double[] events = load(bench, server, "events", 10, bench.options().seconds(SECONDS));
        table.alone("events published, one worker", Figures.whole(events[0]) + "/s", EngineTable.noTarget());
        table.alone("  received by 10 streams, together", Figures.whole(events[1]) + "/s", EngineTable.noTarget());
    }

    private static ServerConfig unlimited() {
        var rate = new RequestRates.Rate(1_000_000, 1_000_000);
        return ServerConfig.LOCAL.withRates(new RequestRates(rate, rate, rate));
    }

    private static double[] load(Bench bench, LonghaulServer server, String what, int clients, double seconds)
            throws Exception {
        try (var load = RpcLoad.inAnotherProcess(server.port(), what, clients, seconds)) {
            double[] figures = load.figures();
            bench.progress("rpc: %s with %d: %s", what, clients, Arrays.toString(figures));
            return figures;
        }
    }

    /** Measures the cost of 1,000 idle polls and 1,000 idle streams. */
    private static void standing(Bench bench, LonghaulServer server, EngineTable table) throws Exception {
        String before = standing(bench);
        try (var load = RpcLoad.inAnotherProcess(
                server.port(), "standing", 1000, bench.options().seconds(4 * IDLE_SECONDS))) {
            load.awaitReady();
            Thread.sleep((long) (1000 * bench.options().seconds(SECONDS)));
            String during = standing(bench);
            table.alone("without clients: threads, sockets, RSS, CPU", before, EngineTable.noTarget());
            table.alone("with 1,000 polls and 1,000 event streams", during, EngineTable.noTarget());
        }
    }

    private static String standing(Bench bench) throws Exception {
        var system = (com.sun.management.OperatingSystemMXBean) ManagementFactory.getOperatingSystemMXBean();
        System.gc();
        long cpu = system.getProcessCpuTime();
        long start = System.nanoTime();
        Thread.sleep((long) (1000 * bench.options().seconds(IDLE_SECONDS)));
        double share = 100.0 * (system.getProcessCpuTime() - cpu) / (System.nanoTime() - start);
        return String.format(
                Locale.ROOT,
                "%d, %d, %d MiB, %.1f%% of a core",
                ManagementFactory.getThreadMXBean().getThreadCount(),
                sockets(),
                rssMebibytes(),
                share);
    }

    private static long sockets() throws Exception {
        try (var files = Files.list(Path.of("/proc/self/fd"))) {
            return files.filter(RpcBenchmark::isSocket).count();
        }
    }

    private static boolean isSocket(Path file) {
        try {
            return Files.readSymbolicLink(file).toString().startsWith("socket:");
        } catch (IOException e) {
            return false;
        }
    }

    private static long rssMebibytes() throws Exception {
        return Files.readAllLines(Path.of("/proc/self/status")).stream()
                .filter(line -> line.startsWith("VmRSS:"))
                .mapToLong(line -> Long.parseLong(line.replaceAll("[^0-9]", "")) / 1024)
                .findFirst()
                .orElse(0);
    }
}
