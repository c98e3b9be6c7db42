package dev.longhaul.bench;

import dev.longhaul.definition.JobDefinition;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.function.IntToLongFunction;
import java.util.function.LongSupplier;

/** How long a job waits for its start under a steady load, counted from the call that asks for it. */
final class Pickup implements EngineScenario {
    private static final int USUAL = 500;
    private static final int BUSY = 2000;
    private static final double SECONDS = 20;
    private static final double WARM_UP_SECONDS = 5;
    private static final int WARM_UP_JOBS = 20_000;
    private static final double PATIENCE_SECONDS = 60;

    @Override
    public void run(Bench bench, EngineTable table) throws Exception {
        for (int rate : List.of(USUAL, BUSY)) {
            rows(bench, table, rate, "one process", measureHere(bench, rate));
            rows(bench, table, rate, "two processes", measureAcross(bench, rate));
        }
    }

    /** What came of the jobs that were sent. */
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

    private static Picked measureHere(Bench bench, int rate) throws Exception {
        bench.fresh().close();
        var starts = new Starts(jobs(bench, rate));
        LongSupplier micros = Engine::processMicros;
        var noop = Noop.definition(micros, starts);
        try (Engine engine = Engine.start(bench, noop)) {
            var loop = new OpenLoop(engine.longhaul(), noop, micros);
            OpenLoop.Sent sent = load(bench, engine, noop, loop, rate);
            if (!starts.await(sent.first() + sent.jobs(), PATIENCE_SECONDS)) {
                throw new IllegalStateException("started: " + starts.count() + " (expected: all)");
            }
            engine.awaitAllStored(PATIENCE_SECONDS);
            return judge(sent, starts::micros);
        }
    }

    private static Picked measureAcross(Bench bench, int rate) throws Exception {
        bench.fresh().close();
        LongSupplier micros = Engine::wallMicros;
        var noop = Noop.definition(micros, new Starts(0));
        try (Engine engine = Engine.enqueueOnly(bench, noop);
                var worker = new OtherProcess(bench.url(), jobs(bench, rate))) {
            var loop = new OpenLoop(engine.longhaul(), noop, micros);
            OpenLoop.Sent sent = load(bench, engine, noop, loop, rate);
            engine.awaitAllStored(PATIENCE_SECONDS);
            long[] started = worker.startTimes();
            return judge(sent, n -> started[n]);
        }
    }

    private static int jobs(Bench bench, int rate) {
        double seconds = bench.options().seconds(SECONDS) + bench.options().seconds(WARM_UP_SECONDS);
        return warmUpJobs(bench) + (int) (rate * seconds);
    }

    private static int warmUpJobs(Bench bench) {
        return Math.min(WARM_UP_JOBS, bench.options().jobs());
    }

    /** Many jobs at once, so that both sides are compiled; then the load for a while; then the load that counts. */
    private static OpenLoop.Sent load(
            Bench bench, Engine engine, JobDefinition<Noop.Video, Noop.Done> noop, OpenLoop loop, int rate)
            throws Exception {
        int first = warmUpJobs(bench);
        engine.enqueue(noop, 0, first);
        engine.awaitAllStored(PATIENCE_SECONDS);
        OpenLoop.Sent warmUp = loop.send(first, rate, bench.options().seconds(WARM_UP_SECONDS));
        return loop.send(first + warmUp.jobs(), rate, bench.options().seconds(SECONDS));
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
