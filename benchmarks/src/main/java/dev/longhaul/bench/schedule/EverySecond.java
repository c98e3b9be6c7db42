package dev.longhaul.bench.schedule;

import dev.longhaul.bench.measure.Bench;
import dev.longhaul.bench.measure.Engine;
import dev.longhaul.bench.measure.EngineScenario;
import dev.longhaul.bench.measure.EngineTable;
import dev.longhaul.bench.measure.Figures;
import dev.longhaul.bench.measure.Noop;
import dev.longhaul.bench.measure.RoundTrip;
import dev.longhaul.bench.measure.Starts;
import dev.longhaul.bench.measure.Target;
import dev.longhaul.schedule.Timing;
import dev.longhaul.schedule.Timing.Cron;
import java.sql.Connection;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;

/** Measures how late schedules that are due every second fire, and how late their jobs start. */
final class EverySecond implements EngineScenario {
    private static final int SCHEDULES = 50;
    private static final double WARM_UP_SECONDS = 20;
    private static final double SECONDS = 60;
    private static final long LOOK_MILLIS = 100;
    private static final Timing ALWAYS = Cron.of("* * * * * *");

    @Override
    public void run(Bench bench, EngineTable table) throws Exception {
        Figures control = table.note(RoundTrip.measure(bench));
        bench.fresh().close();
        double warmUp = bench.options().seconds(WARM_UP_SECONDS);
        double seconds = bench.options().seconds(SECONDS);
        var noop = Noop.definition(Engine::wallMicros, new Starts(SCHEDULES));
        long from;
        long to;
        try (Engine engine = Engine.start(bench, noop)) {
            ManySchedules.store(bench, engine.longhaul(), 0, SCHEDULES, ALWAYS, "date_trunc('second', now()) + '1s'");
            awaitFirst(bench);
            Thread.sleep((long) (warmUp * 1000));
            from = Engine.wallMicros() / 1_000_000;
            Thread.sleep((long) (seconds * 1000));
            to = Engine.wallMicros() / 1_000_000;
            bench.execute("update longhaul.schedule set next_fire_at = null");
            engine.awaitAllStored(SECONDS);
        }
        String when = " from longhaul.schedule_fire f join longhaul.finished_job j on j.id = f.job_id where f.fire_at >"
                + " to_timestamp(" + from + ") and f.fire_at <= to_timestamp(" + to + ")";
        Figures fired = millis(bench, "f.fired_at", when);
        Figures started = millis(bench, "j.started_at", when);
        int expected = (int) (SCHEDULES * (to - from));
        int missed = expected - fired.values().size();
        bench.progress(
                "seconds: %d schedules, %,d fires of %,d; fired p50 %.1f ms, p99 %.1f ms; started p50 %.1f ms, p99 %.1f ms, worst %.1f ms",
                SCHEDULES,
                fired.values().size(),
                expected,
                fired.median(),
                fired.percentile(99),
                started.median(),
                started.percentile(99),
                started.max());
        String name = SCHEDULES + " schedules every second, ";
        table.millis(name + "decided late, p99", fired.percentile(99), control.percentile(99), Target.atMost(100));
        table.millis(
                name + "job started late, p99", started.percentile(99), control.percentile(99), Target.atMost(100));
        table.alone("  missed", String.valueOf(missed), Target.atMost(0).judge(missed));
    }

    /** Waits for the first fire, because the process must first become the leader. */
    private static void awaitFirst(Bench bench) throws Exception {
        long until = System.nanoTime() + (long) (SECONDS * 1e9);
        while (bench.count("select count(*) from longhaul.schedule_fire") == 0) {
            if (System.nanoTime() - until > 0) {
                throw new IllegalStateException("fires: none (expected: one fire every second)");
            }
            Thread.sleep(LOOK_MILLIS);
        }
    }

    private static Figures millis(Bench bench, String column, String when) throws SQLException {
        List<Double> millis = new ArrayList<>();
        try (Connection connection = bench.connect();
                Statement statement = connection.createStatement();
                ResultSet rows = statement.executeQuery(
                        "select extract(epoch from " + column + " - f.fire_at)::float8 * 1000" + when)) {
            while (rows.next()) {
                millis.add(rows.getDouble(1));
            }
        }
        return new Figures(millis);
    }
}
