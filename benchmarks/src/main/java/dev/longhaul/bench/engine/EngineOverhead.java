package dev.longhaul.bench.engine;

import com.sun.net.httpserver.HttpServer;
import com.zaxxer.hikari.HikariDataSource;
import dev.longhaul.bench.measure.Bench;
import dev.longhaul.bench.measure.Engine;
import dev.longhaul.bench.measure.EngineScenario;
import dev.longhaul.bench.measure.EngineTable;
import dev.longhaul.bench.measure.Figures;
import dev.longhaul.bench.measure.Target;
import dev.longhaul.job.WebhookEvent;
import dev.longhaul.job.WebhookSecret;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.server.tracing.SpanExport;
import dev.longhaul.server.tracing.TraceConfig;
import dev.longhaul.webhook.WebhookSpec;
import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.URI;
import java.util.ArrayList;
import java.util.EnumSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;

/**
 * Measures the cost of metrics, of traces (printed, without a target), and of a webhook that subscribes to other jobs.
 * Drains jobs with and without the feature, in turn.
 */
final class EngineOverhead implements EngineScenario {
    private static final int WARM_UP = 50_000;
    private static final int TURN = 75_000;
    private static final double MOST_LOST = 0.05;
    private static final double SAMPLED = 0.1;

    private final String feature;

    /** @param feature {@code metrics}, {@code traces} or {@code webhooks} */
    EngineOverhead(String feature) {
        this.feature = feature;
    }

    @Override
    public void run(Bench bench, EngineTable table) throws Exception {
        switch (feature) {
            case "metrics" ->
                compare(bench, table, "drain with metrics beside one without", Engine::metered, () -> {}, true);
            case "traces" -> traced(bench, table);
            default ->
                compare(
                        bench,
                        table,
                        "drain beside others' webhook beside one without",
                        Engine::start,
                        () -> others(bench),
                        true);
        }
    }

    /** Measures the cost of traces. The spans are sent to a collector in this JVM, whose work is part of the cost. */
    private static void traced(Bench bench, EngineTable table) throws Exception {
        HttpServer collector = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        collector.createContext("/", exchange -> {
            try (exchange) {
                exchange.getRequestBody().readAllBytes();
                exchange.sendResponseHeaders(200, -1);
            }
        });
        collector.start();
        var endpoint = URI.create("http://127.0.0.1:" + collector.getAddress().getPort() + "/v1/traces");
        try (SpanExport every = SpanExport.start(new TraceConfig(endpoint, 1), new SimpleMeterRegistry());
                SpanExport some = SpanExport.start(new TraceConfig(endpoint, SAMPLED), new SimpleMeterRegistry())) {
            if (bench.options().jobs() >= WARM_UP) {
                // Code that only one run in ten executes is compiled later, so it needs more warm-up runs.
                EngineDrain.drain(bench, (int) (WARM_UP / SAMPLED), traced(every), () -> {});
            }
            compare(bench, table, "drain with traces of 10% beside one without", traced(some), () -> {}, false);
        } finally {
            collector.stop(0);
        }
    }

    private static EngineDrain.Start traced(SpanExport export) {
        return (bench, definition) ->
                Engine.traced(bench, definition, export.tracing().ofRuns());
    }

    /**
     * Drains jobs with and without the feature in pairs of short alternating turns, so that disturbances of a shared
     * machine affect both equally. Both sides of a pair drain the same number of jobs.
     */
    private static void compare(
            Bench bench, EngineTable table, String name, EngineDrain.Start start, Runnable before, boolean limited)
            throws Exception {
        int jobs = bench.options().jobs();
        int turns = Math.max(1, jobs / TURN);
        if (jobs >= WARM_UP) {
            EngineDrain.drain(bench, WARM_UP, start, before);
            EngineDrain.drain(bench, WARM_UP, Engine::start, () -> {});
        }
        var with = new ArrayList<Double>();
        var without = new ArrayList<Double>();
        var ratios = new ArrayList<Double>();
        for (int pair = 1; pair <= bench.options().rounds(); pair++) {
            double secondsWith = 0;
            double secondsWithout = 0;
            for (int turn = 0; turn < turns; turn++) {
                int some = (int) ((long) jobs * (turn + 1) / turns - (long) jobs * turn / turns);
                // The order alternates, so that neither side benefits from the state that the other leaves behind.
                boolean first = (pair + turn) % 2 == 0;
                if (first) {
                    secondsWith += some / EngineDrain.drain(bench, some, start, before);
                }
                secondsWithout += some / EngineDrain.drain(bench, some, Engine::start, () -> {});
                if (!first) {
                    secondsWith += some / EngineDrain.drain(bench, some, start, before);
                }
            }
            with.add(jobs / secondsWith);
            without.add(jobs / secondsWithout);
            ratios.add(secondsWithout / secondsWith);
            bench.progress("%s: pair %d, ratio %.3f", name, pair, ratios.get(pair - 1));
        }
        table.pairs(
                name,
                new Figures(with),
                new Figures(without),
                new Figures(ratios),
                limited ? Target.atLeast(1 - MOST_LOST) : null);
    }

    private static void others(Bench bench) {
        try (HikariDataSource pool = bench.pool();
                PostgresStore store = PostgresStore.open(pool)) {
            var spec = new WebhookSpec(
                    "https://hooks.example.com/",
                    EnumSet.complementOf(EnumSet.of(WebhookEvent.WEBHOOK_TEST)),
                    Set.of("others"),
                    Set.of(),
                    Map.of(),
                    List.of(WebhookSecret.random()));
            store.webhooks().create(UUID.randomUUID(), spec, null);
        }
    }
}
