package dev.longhaul.bench.http;

import com.linecorp.armeria.common.HttpResponse;
import com.linecorp.armeria.common.HttpStatus;
import com.linecorp.armeria.common.MediaType;
import com.linecorp.armeria.server.HttpService;
import com.linecorp.armeria.server.Server;
import dev.longhaul.bench.measure.Bench;
import dev.longhaul.bench.measure.CeilingRates;
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
import java.io.PrintStream;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Measures how fast another process can submit jobs over HTTP, with one or many jobs per request. The controls are the
 * maximum rates of PostgreSQL, for inserts and for inserts plus drain. The jobs are not run; afterwards every
 * acknowledged job must be stored. {@code longhaul bench http} starts it.
 */
public final class HttpBenchmark {
    private static final double SECONDS = 10;
    /** Long enough for the JVM to compile the hot code. Before that, the rate is only half as high. */
    private static final double FIRST_WARM_UP_SECONDS = 60;

    private static final double WARM_UP_SECONDS = 15;
    private static final String ANSWER = "{\"jobId\":\"01a1e363-e8b3-7000-b0a4-8cf8b9e1f89f\",\"status\":\"queued\"}";

    /** One kind of request that is measured. */
    private record Way(String name, int connections, int jobs, double target) {}

    private HttpBenchmark() {}

    public static EngineTable run(Options options, PrintStream out) throws Exception {
        return EngineTable.fill(Menu.HTTP, options, out, HttpBenchmark::measure);
    }

    private static void measure(Bench bench, EngineTable table) throws Exception {
        var ways = List.of(
                new Way("POST /v1/jobs, 64 connections", 64, 1, 0.15),
                new Way("POST /v1/jobs/batch of 1,000, 4 connections", 4, 1000, 0.5));
        var ceilings = new HashMap<String, List<Double>>();
        var rates = new HashMap<Way, List<Double>>();
        var waits = new HashMap<Way, List<Double>>();
        var bare = new ArrayList<Double>();
        bench.progress("http: warming up for %.0f s", bench.options().seconds(FIRST_WARM_UP_SECONDS));
        measure(bench, ways.get(0), FIRST_WARM_UP_SECONDS);
        for (int round = 1; round <= bench.options().rounds(); round++) {
            Map<String, Double> ceiling =
                    CeilingRates.measure(bench, bench.options().jobs());
            ceiling.forEach((name, rate) ->
                    ceilings.computeIfAbsent(name, any -> new ArrayList<>()).add(rate));
            bench.progress("http: round %d, ceiling %s jobs/s", round, ceiling);
            for (Way way : ways) {
                HttpLoad.Report report = measure(bench, way, WARM_UP_SECONDS);
                rates.computeIfAbsent(way, any -> new ArrayList<>()).add(report.jobsPerSecond());
                waits.computeIfAbsent(way, any -> new ArrayList<>()).add(report.p99Millis());
                bench.progress(
                        "http: round %d, %s: %,.0f jobs/s, p50 %.1f ms, p99 %.1f ms",
                        round, way.name, report.jobsPerSecond(), report.p50Millis(), report.p99Millis());
            }
            bare.add(bare(bench, ways.get(0)));
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
        table.alone(
                "control: the same requests to a server that only answers",
                Figures.whole(new Figures(bare).median()) + "/s",
                EngineTable.noTarget());
    }

    /** Returns requests per second of a server of the same kind that only reads the request and responds. */
    private static double bare(Bench bench, Way way) throws Exception {
        HttpService answer = (context, request) -> HttpResponse.of(
                request.aggregate().thenApply(read -> HttpResponse.of(HttpStatus.ACCEPTED, MediaType.JSON, ANSWER)));
        try (Server server = Server.builder()
                .http(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0))
                .service("/v1/jobs", answer)
                .build()) {
            server.start().join();
            int port = server.activeLocalPort();
            HttpLoad.inAnotherProcess(port, way.connections, 1, bench.options().seconds(WARM_UP_SECONDS));
            return HttpLoad.inAnotherProcess(
                            port, way.connections, 1, bench.options().seconds(SECONDS))
                    .jobsPerSecond();
        }
    }

    private static HttpLoad.Report measure(Bench bench, Way way, double warmUpSeconds) throws Exception {
        bench.fresh().close();
        var noop = Noop.definition(Engine::processMicros, new Starts(0));
        try (Engine engine = Engine.enqueueOnly(bench, noop);
                LonghaulServer server = LonghaulServer.start(engine.longhaul(), ServerConfig.LOCAL)) {
            HttpLoad.Report warmUp = HttpLoad.inAnotherProcess(
                    server.port(), way.connections, way.jobs, bench.options().seconds(warmUpSeconds));
            HttpLoad.Report report = HttpLoad.inAnotherProcess(
                    server.port(), way.connections, way.jobs, bench.options().seconds(SECONDS));
            long stored = bench.count("select count(*) from longhaul.live_job");
            long answered = warmUp.jobs() + report.jobs();
            if (stored != answered) {
                throw new IllegalStateException(
                        "stored: " + stored + " (expected: the " + answered + " acknowledged jobs)");
            }
            return report;
        }
    }
}
