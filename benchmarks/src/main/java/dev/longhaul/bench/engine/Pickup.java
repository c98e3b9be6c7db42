package dev.longhaul.bench.engine;

import dev.longhaul.bench.measure.Bench;
import dev.longhaul.bench.measure.Engine;
import dev.longhaul.bench.measure.EngineScenario;
import dev.longhaul.bench.measure.EngineTable;
import dev.longhaul.bench.measure.Figures;
import dev.longhaul.bench.measure.Noop;
import dev.longhaul.bench.measure.RoundTrip;
import dev.longhaul.bench.measure.Starts;
import dev.longhaul.bench.measure.Target;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntToLongFunction;
import java.util.function.LongSupplier;

/** Measures the time from the call that submits a job to the job's start, under a steady load. */
final class Pickup implements EngineScenario {
    private static final int USUAL = 500;
    private static final int BUSY = 2000;
    private static final double SECONDS = 20;
    /** Length of the warm-up. A worker runs for weeks, so the compilation in its first minute must not be measured. */
    private static final double WARM_UP_SECONDS = 60;

    private static final int WARM_UP_RATE = 1500;
    private static final double PATIENCE_SECONDS = 60;

    @Override
    public void run(Bench bench, EngineTable table) throws Exception {
        here(bench, table);
        across(bench, table);
        Figures bare = RoundTrip.measureClaiming(bench);
        table.alone("bare claim: insert + notify + update, p50", Figures.millis(bare.median()), EngineTable.noTarget());
        table.alone(
                "bare claim: insert + notify + update, p99",
                Figures.millis(bare.percentile(99)),
                EngineTable.noTarget());
    }

    /** The measured delays of the submitted jobs. */
    private record Picked(Figures fromCall, Figures fromIntended, double keptUp) {}

    private static void rows(Bench bench, EngineTable table, int rate, String where, Picked load) throws Exception {
        bench.progress(
                "pick-up: %d/s, %s: from the call p50 %.2f ms, p99 %.2f ms, worst %.1f ms;"
                        + " from the time it was to be sent p50 %.2f ms, p99 %.2f ms; kept up %.4f",
                rate,
                where,
                load.fromCall.median(),
                load.fromCall.percentile(99),
                load.fromCall.max(),
                load.fromIntended.median(),
                load.fromIntended.percentile(99),
                load.keptUp);
        Figures control = table.note(RoundTrip.measure(bench));
        String name = "pick-up at " + rate + "/s, " + where;
        if (rate == USUAL) {
            table.millis(name + ", p50", load.fromCall.median(), control.median(), Target.atMost(2));
        }
        double p99 = load.fromCall.percentile(99);
        table.millis(name + ", p99", p99, control.percentile(99), Target.atMost(rate == USUAL ? 12 : 20));
        double whole = load.fromIntended.percentile(99);
        if (whole > 1.1 * p99) {
            table.alone("  from the time it was to be sent, p99", Figures.millis(whole), EngineTable.noTarget());
        }
        if (rate == BUSY) {
            table.alone(
                    "  started by the end of the load",
                    String.format(Locale.ROOT, "%.2f %%", 100 * load.keptUp),
                    Target.atLeast(99).judge(100 * load.keptUp));
        }
    }

    private static void here(Bench bench, EngineTable table) throws Exception {
        bench.fresh().close();
        var starts = new Starts(jobs(bench));
        LongSupplier micros = Engine::processMicros;
        var noop = Noop.definition(micros, starts);
        try (Engine engine = Engine.start(bench, noop)) {
            for (OpenLoop.Sent sent : load(bench, engine, new OpenLoop(engine.longhaul(), noop, micros))) {
                rows(bench, table, sent.rate(), "one process", judge(sent, starts::micros));
            }
        }
    }

    private static void across(Bench bench, EngineTable table) throws Exception {
        bench.fresh().close();
        LongSupplier micros = Engine::wallMicros;
        var noop = Noop.definition(micros, new Starts(0));
        try (Engine engine = Engine.enqueueOnly(bench, noop);
                var worker = new OtherProcess(bench.url(), jobs(bench))) {
            List<OpenLoop.Sent> loads = load(bench, engine, new OpenLoop(engine.longhaul(), noop, micros));
            long[] started = worker.startTimes();
            for (OpenLoop.Sent sent : loads) {
                rows(bench, table, sent.rate(), "two processes", judge(sent, n -> started[n]));
            }
        }
    }

    private static int jobs(Bench bench) {
        return (int) (WARM_UP_RATE * bench.options().seconds(WARM_UP_SECONDS)
                + (USUAL + BUSY) * bench.options().seconds(SECONDS));
    }

    /**
     * Submits single jobs. The first ones are a warm-up, until the code is compiled in both processes; then follow the
     * measured ones.
     */
    private static List<OpenLoop.Sent> load(Bench bench, Engine engine, OpenLoop loop) throws Exception {
        OpenLoop.Sent warmUp = loop.send(0, WARM_UP_RATE, bench.options().seconds(WARM_UP_SECONDS));
        engine.awaitAllStored(PATIENCE_SECONDS);
        var loads = new ArrayList<OpenLoop.Sent>();
        int first = warmUp.jobs();
        for (int rate : List.of(USUAL, BUSY)) {
            OpenLoop.Sent sent = loop.send(first, rate, bench.options().seconds(SECONDS));
            engine.awaitAllStored(PATIENCE_SECONDS);
            loads.add(sent);
            first += sent.jobs();
        }
        return loads;
    }

    private static Picked judge(OpenLoop.Sent sent, IntToLongFunction startedAt) {
        var fromCall = new ArrayList<Double>();
        var fromIntended = new ArrayList<Double>();
        int inTime = 0;
        for (int n = 0; n < sent.jobs(); n++) {
            long started = startedAt.applyAsLong(sent.first() + n);
            if (started == 0) {
                throw new IllegalStateException("job " + n + " was never started");
            }
            fromCall.add((started - sent.called().get(n)) / 1e3);
            fromIntended.add((started - sent.intended().get(n)) / 1e3);
            inTime += started <= sent.end() ? 1 : 0;
        }
        return new Picked(new Figures(fromCall), new Figures(fromIntended), (double) inTime / sent.jobs());
    }
}
