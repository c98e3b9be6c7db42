package dev.longhaul.bench;

import dev.longhaul.server.LonghaulServer;
import dev.longhaul.server.ServerConfig;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Jobs asked for over HTTP, one per request and many per request, by a process of its own; beside what PostgreSQL can insert at
 * all, and beside what it can take through a job's whole life. Nobody runs the jobs meanwhile; every answered one must be there
 * afterwards.
 */
final class HttpEnqueues implements EngineScenario {
    private static final double SECONDS = 10;
    private static final double WARM_UP_SECONDS = 15;

    /** One way to ask. */
    private record Way(String name, int connections, int jobs, double target) {}

    @Override
    public void run(Bench bench, EngineTable table) throws Exception {
        var ways = List.of(
                new Way("POST /v1/jobs, 64 connections", 64, 1, 0.15),
                new Way("POST /v1/jobs/batch of 1,000, 4 connections", 4, 1000, 0.5));
        var ceilings = new HashMap<String, List<Double>>();
        var rates = new HashMap<Way, List<Double>>();
        var waits = new HashMap<Way, List<Double>>();
        for (int round = 1; round <= bench.options().rounds(); round++) {
            Map<String, Double> ceiling =
                    Throughput.ceiling(bench.url(), bench.options().jobs());
            ceiling.forEach((name, rate) ->
                    ceilings.computeIfAbsent(name, any -> new ArrayList<>()).add(rate));
            bench.progress("http: round %d, ceiling %s jobs/s", round, ceiling);
            for (Way way : ways) {
                HttpLoad.Report report = measure(bench, way);
                rates.computeIfAbsent(way, any -> new ArrayList<>()).add(report.jobsPerSecond());
                waits.computeIfAbsent(way, any -> new ArrayList<>()).add(report.p99Millis());
                bench.progress(
                        "http: round %d, %s: %,.0f jobs/s, p50 %.1f ms, p99 %.1f ms",
                        round, way.name, report.jobsPerSecond(), report.p50Millis(), report.p99Millis());
            }
        }
        for (Way way : ways) {
            var measured = new Figures(rates.getOrDefault(way, List.of()));
            var enqueue = new Figures(ceilings.getOrDefault("enqueue", List.of()));
            var whole = new Figures(ceilings.getOrDefault("both", List.of()));
            table.rate(way.name + ", beside the ceiling's enqueue", measured, enqueue, Target.atLeast(way.target));
            table.rate("  beside the ceiling's enqueue + drain", measured, whole, Target.atLeast(way.target));
            table.alone(
                    "  p99 of a request",
                    Figures.millis(new Figures(waits.getOrDefault(way, List.of())).median()),
                    EngineTable.noTarget());
        }
    }

    private static HttpLoad.Report measure(Bench bench, Way way) throws Exception {
        bench.fresh().close();
        var noop = Noop.definition(Engine::processMicros, new Starts(0));
        try (Engine engine = Engine.enqueueOnly(bench, noop);
                LonghaulServer server = LonghaulServer.start(engine.longhaul(), ServerConfig.LOCAL)) {
            HttpLoad.Report warmUp = HttpLoad.inAnotherProcess(
                    server.port(), way.connections, way.jobs, bench.options().seconds(WARM_UP_SECONDS));
            HttpLoad.Report report = HttpLoad.inAnotherProcess(
                    server.port(), way.connections, way.jobs, bench.options().seconds(SECONDS));
            long stored = bench.count("select count(*) from longhaul.live_job");
            long answered = warmUp.jobs() + report.jobs();
            if (stored != answered) {
                throw new IllegalStateException("stored: " + stored + " (expected: the " + answered + " answered)");
            }
            return report;
        }
    }
}
