package dev.longhaul.bench.schedule;

import dev.longhaul.Longhaul;
import dev.longhaul.NewSchedule;
import dev.longhaul.bench.measure.Bench;
import dev.longhaul.bench.measure.Noop;
import dev.longhaul.schedule.Timing;
import java.sql.SQLException;

/** Fills a database with schedules. They differ in their keys, and in a number in the params of their jobs. */
final class ManySchedules {
    private static final String ORIGINAL = "original";

    private ManySchedules() {}

    /**
     * Stores the schedules {@code from} to {@code to - 1} with that timing.
     *
     * @param firstFire an SQL expression for the first fire of each schedule
     */
    static void store(Bench bench, Longhaul longhaul, int from, int to, Timing timing, String firstFire)
            throws SQLException {
        longhaul.schedules()
                .create(NewSchedule.of(ORIGINAL, timing)
                        .definition(Noop.KEY, null)
                        .params("{\"url\":\"" + Noop.URL + "\",\"n\":0}")
                        .enabled(false));
        bench.execute(
                "insert into longhaul.schedule select (r).* from (select jsonb_populate_record(s, jsonb_build_object("
                        + "'key', 's' || i, 'next_fire_at', " + firstFire
                        + ", 'paused_at', null, 'paused_by', null, 'params',"
                        + " replace(s.params, ':0}', ':' || i || '}'))) as r"
                        + " from longhaul.schedule s, generate_series(" + from + ", " + (to - 1) + ") i where s.key = '"
                        + ORIGINAL + "') copied");
        bench.execute("analyze longhaul.schedule");
        // Signals to the leader that schedules have changed.
        longhaul.schedules().pause(ORIGINAL, null, null);
        longhaul.schedules().delete(ORIGINAL);
    }
}
