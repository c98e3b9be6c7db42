package dev.longhaul.bench.measure;

import java.io.PrintStream;
import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import org.jspecify.annotations.Nullable;

/**
 * The table of the engine's benchmark. It contains each measured value, its control in the same run, and their ratio.
 */
public final class EngineTable {
    private final Table table;
    private final List<Double> roundTrips = new ArrayList<>();

    public EngineTable(String name, Options options) {
        table = new Table(
                String.format(Locale.ROOT, "%s: %,d jobs per drain, %d rounds", name, options.jobs(), options.rounds()),
                "case",
                "measured",
                "control",
                "ratio",
                "target",
                "");
    }

    /**
     * Creates the table of a benchmark on a database. If the benchmark fails, the table is printed with the values
     * measured until then.
     */
    public static EngineTable fill(Menu menu, Options options, PrintStream out, EngineScenario scenario)
            throws Exception {
        var table = new EngineTable(menu.name(), options);
        try {
            return Database.with(options, out, bench -> {
                scenario.run(bench, table);
                return table;
            });
        } finally {
            out.println("\n" + table);
        }
    }

    /** Keeps the round trips of a scenario, for the rows of the control itself. */
    public Figures note(Figures controls) {
        roundTrips.addAll(controls.values());
        return controls;
    }

    /** Adds a rate. Its ratio to the control decides whether it passes. */
    public void rate(String name, Figures measured, Figures control, Target target) {
        double ratio = measured.median() / control.median();
        table.row(
                target.judge(ratio),
                name,
                Figures.whole(measured.median()) + "/s",
                Figures.whole(control.median()) + "/s",
                number(ratio));
    }

    /**
     * Adds rates that were measured in pairs with their control. A target applies to the median of the pairs' ratios.
     * The row below contains the lowest and the highest ratio.
     *
     * @param target null if there is none
     */
    public void pairs(String name, Figures measured, Figures control, Figures ratios, @Nullable Target target) {
        table.row(
                target == null ? noTarget() : target.judge(ratios.median()),
                name,
                Figures.whole(measured.median()) + "/s",
                Figures.whole(control.median()) + "/s",
                number(ratios.median()));
        alone("  pairs from, to", number(ratios.min()) + ", " + number(ratios.max()), noTarget());
    }

    /**
     * Adds a duration. Its milliseconds decide whether it passes. If the control is slower than usual, the ratio is
     * more meaningful.
     */
    public void millis(String name, double measured, double control, Target target) {
        table.row(
                target.judge(measured),
                name,
                Figures.millis(measured),
                Figures.millis(control),
                number(measured / control));
    }

    /** Adds a duration. Its ratio to the control decides whether it passes. */
    public void ratio(String name, double measured, double control, Target target) {
        table.row(
                target.judge(measured / control),
                name,
                Figures.millis(measured),
                Figures.millis(control),
                number(measured / control));
    }

    /** Adds a value without a control. */
    public void alone(String name, String measured, String[] end) {
        table.row(end, name, measured, "", "");
    }

    public static String[] noTarget() {
        return new String[] {"", ""};
    }

    @Override
    public String toString() {
        if (!roundTrips.isEmpty()) {
            var controls = new Figures(roundTrips);
            control("p50", controls.median(), RoundTrip.USUAL_P50);
            control("p99", controls.percentile(99), RoundTrip.USUAL_P99);
            roundTrips.clear();
        }
        return table.toString();
    }

    private void control(String which, double measured, double usual) {
        String verdict = measured <= usual * RoundTrip.TOLERANCE ? "usual" : "SLOW: ratios count";
        table.row(
                new String[] {"usually " + number(usual), verdict},
                "control: insert + notify + select, " + which,
                Figures.millis(measured),
                "",
                number(measured / usual));
    }

    private static String number(double value) {
        return String.format(Locale.ROOT, "%.2f", value);
    }
}
