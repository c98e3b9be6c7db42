package dev.longhaul.bench.store;

import dev.longhaul.bench.measure.Bench;
import dev.longhaul.bench.measure.CeilingRates;
import dev.longhaul.bench.measure.Figures;
import dev.longhaul.bench.measure.Load;
import dev.longhaul.bench.measure.Rig;
import dev.longhaul.bench.measure.Scenario;
import dev.longhaul.bench.measure.Table;
import dev.longhaul.bench.measure.Target;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;

/** Compares the rates of the store with {@code Ceiling}, the maximum that PostgreSQL allows. */
final class Throughput implements Scenario {
    @Override
    public Table run(Bench bench) throws Exception {
        int rounds = bench.options().rounds();
        int jobs = bench.options().jobs();
        var ceiling = new HashMap<String, List<Double>>();
        var store = new HashMap<String, List<Double>>();
        for (int round = 1; round <= rounds; round++) {
            note(bench, "ceiling", round, CeilingRates.measure(bench, jobs), ceiling);
            note(bench, "store  ", round, store(bench, jobs), store);
        }
        var table = new Table(
                String.format(
                        Locale.ROOT,
                        "throughput: %,d jobs in batches of %d, jobs/s, median of %d rounds",
                        jobs,
                        Load.BATCH,
                        rounds),
                "case",
                "ceiling",
                "spread",
                "store",
                "spread",
                "ratio",
                "target",
                "");
        for (String name : CeilingRates.CASES) {
            Figures most = new Figures(ceiling.getOrDefault(name, List.of()));
            Figures ours = new Figures(store.getOrDefault(name, List.of()));
            double ratio = ours.median() / most.median();
            table.row(
                    Target.atLeast(0.7).judge(ratio),
                    name,
                    Figures.whole(most.median()),
                    most.spread(),
                    Figures.whole(ours.median()),
                    ours.spread(),
                    String.format(Locale.ROOT, "%.2f", ratio));
        }
        return table;
    }

    private static void note(
            Bench bench, String who, int round, Map<String, Double> rates, Map<String, List<Double>> all) {
        rates.forEach((name, rate) ->
                all.computeIfAbsent(name, any -> new ArrayList<>()).add(rate));
        bench.progress("throughput: round %d, %s %s jobs/s", round, who, rates);
    }

    private static Map<String, Double> store(Bench bench, int jobs) throws Exception {
        var rates = new HashMap<String, Double>();
        try (Rig rig = bench.fresh()) {
            Load.warmUp(rig.store(), bench.options());
        }
        try (Rig rig = bench.fresh()) {
            var store = rig.store();
            rates.put(
                    "enqueue",
                    jobs
                            / Load.seconds(
                                    () -> Load.enqueue(store, jobs / 2), () -> Load.enqueue(store, jobs - jobs / 2)));
            var left = new AtomicInteger(jobs);
            rates.put("drain", jobs / Load.seconds(() -> Load.drain(store, left), () -> Load.drain(store, left)));
        }
        try (Rig rig = bench.fresh()) {
            var store = rig.store();
            var left = new AtomicInteger(jobs);
            rates.put(
                    "both",
                    jobs
                            / Load.seconds(
                                    () -> Load.enqueue(store, jobs),
                                    () -> Load.drain(store, left),
                                    () -> Load.drain(store, left)));
            if (rig.wakeUps() == 0) {
                throw new IllegalStateException("signals: 0 (expected: at least one; signals are measured too)");
            }
        }
        return rates;
    }
}
