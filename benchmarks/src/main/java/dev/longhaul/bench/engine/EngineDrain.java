package dev.longhaul.bench.engine;

import dev.longhaul.JobDefinition;
import dev.longhaul.bench.measure.Bench;
import dev.longhaul.bench.measure.CeilingRates;
import dev.longhaul.bench.measure.Engine;
import dev.longhaul.bench.measure.EngineScenario;
import dev.longhaul.bench.measure.EngineTable;
import dev.longhaul.bench.measure.Figures;
import dev.longhaul.bench.measure.Noop;
import dev.longhaul.bench.measure.Starts;
import dev.longhaul.bench.measure.Target;
import java.util.ArrayList;
import java.util.Objects;

/**
 * Compares how fast the engine drains jobs with {@code Ceiling}'s drain. The engine has all features enabled, and the
 * jobs do nothing.
 */
final class EngineDrain implements EngineScenario {
    private static final int WARM_UP = 20_000;
    private static final double PATIENCE_SECONDS = 600;

    @Override
    public void run(Bench bench, EngineTable table) throws Exception {
        int jobs = bench.options().jobs();
        var ceiling = new ArrayList<Double>();
        var engine = new ArrayList<Double>();
        drain(bench, Math.min(WARM_UP, jobs));
        for (int round = 1; round <= bench.options().rounds(); round++) {
            ceiling.add(Objects.requireNonNull(CeilingRates.measure(bench, jobs).get("drain")));
            engine.add(drain(bench, jobs));
            bench.progress(
                    "drain: round %d, ceiling %,.0f jobs/s, engine %,.0f jobs/s",
                    round, ceiling.get(round - 1), engine.get(round - 1));
        }
        table.rate("drain beside the ceiling's", new Figures(engine), new Figures(ceiling), Target.atLeast(0.6));
    }

    private static double drain(Bench bench, int jobs) throws Exception {
        return drain(bench, jobs, Engine::start, () -> {});
    }

    /** Starts an engine. */
    interface Start {
        Engine on(Bench bench, JobDefinition<?, ?> definition);
    }

    /**
     * Returns jobs per second, from the engine's start to the last stored outcome.
     *
     * @param before runs once the database is empty
     */
    static double drain(Bench bench, int jobs, Start start, Runnable before) throws Exception {
        bench.fresh().close();
        before.run();
        var starts = new Starts(jobs);
        var noop = Noop.definition(Engine::processMicros, starts);
        try (Engine engine = Engine.enqueueOnly(bench, noop)) {
            engine.enqueue(noop, 0, jobs);
        }
        long began = System.nanoTime();
        try (Engine engine = start.on(bench, noop)) {
            if (!starts.await(jobs, PATIENCE_SECONDS)) {
                throw new IllegalStateException("started: " + starts.count() + " (expected: " + jobs + ")");
            }
            engine.awaitAllStored(PATIENCE_SECONDS);
            double rate = jobs / ((System.nanoTime() - began) / 1e9);
            engine.requireSucceeded(jobs);
            return rate;
        }
    }
}
