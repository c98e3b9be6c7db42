package dev.longhaul.bench.store;

import dev.longhaul.bench.measure.Bench;
import dev.longhaul.bench.measure.Figures;
import dev.longhaul.bench.measure.Load;
import dev.longhaul.bench.measure.Options;
import dev.longhaul.bench.measure.Rig;
import dev.longhaul.bench.measure.Scenario;
import dev.longhaul.bench.measure.Table;
import dev.longhaul.bench.measure.Target;
import dev.longhaul.catalog.Declaration;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.postgres.PostgresStore;
import java.util.ArrayList;
import java.util.Locale;
import java.util.Set;

/** Measures whether waiting jobs that cannot run slow down jobs of a lower priority that can run. */
final class Blocked implements Scenario {
    private static final DefinitionRef LIMITED = new DefinitionRef("demo.limited", 1);
    private static final DefinitionRef UNKNOWN = new DefinitionRef("demo.unknown", 1);
    private static final Set<DefinitionRef> KNOWN = Set.of(LIMITED, Load.NOOP);
    private static final int HIGHER = 10;

    @Override
    public Table run(Bench bench) throws Exception {
        Options options = bench.options();
        int blocked = options.volume(100_000);
        int jobs = options.volume(50_000);
        try (Rig rig = bench.fresh()) {
            Load.warmUp(rig.store(), options);
        }
        bench.park("bare");
        try (Rig rig = bench.fresh()) {
            Load.warmUp(rig.store(), options);
            bench.progress("blocked: enqueueing 2 x %,d jobs that cannot run", blocked);
            block(rig.store(), blocked);
        }
        bench.park("loaded");
        var without = new ArrayList<Double>();
        var with = new ArrayList<Double>();
        for (int round = 1; round <= options.rounds(); round++) {
            without.add(rate(bench, "bare", jobs));
            with.add(rate(bench, "loaded", jobs));
            bench.progress(
                    "blocked: round %d, without %,.0f jobs/s, with %,.0f jobs/s",
                    round, without.get(round - 1), with.get(round - 1));
        }
        return table(new Figures(without), new Figures(with), blocked, jobs);
    }

    private static Table table(Figures without, Figures with, int blocked, int jobs) {
        double ratio = with.median() / without.median();
        return new Table(
                        String.format(
                                Locale.ROOT,
                                "blocked: drain of %,d jobs behind %,d of a definition at its limit and %,d of an unknown one",
                                jobs,
                                blocked,
                                blocked),
                        "case",
                        "without",
                        "spread",
                        "with",
                        "spread",
                        "ratio",
                        "target",
                        "")
                .row(
                        Target.atLeast(0.9).judge(ratio),
                        "drain, jobs/s",
                        Figures.whole(without.median()),
                        without.spread(),
                        Figures.whole(with.median()),
                        with.spread(),
                        String.format(Locale.ROOT, "%.2f", ratio));
    }

    private static void block(PostgresStore store, int jobs) {
        var limited = new Declaration(LIMITED, null, null, null, null, null, 1);
        store.catalog().declare(limited, Set.of(Declaration.Field.CONCURRENCY_LIMIT), "benchmark");
        Load.enqueue(store, jobs + 1, LIMITED, spec -> spec.priority(HIGHER));
        if (Load.claim(store, 10, Set.of(LIMITED)).size() != 1) {
            throw new IllegalStateException("the concurrency limit of " + LIMITED + " was exceeded or not reached");
        }
        Load.enqueue(store, jobs, UNKNOWN, spec -> spec.priority(HIGHER));
    }

    private static double rate(Bench bench, String schema, int jobs) throws Exception {
        bench.unpark(schema);
        try (Rig rig = bench.open()) {
            Load.enqueue(rig.store(), jobs);
            return Load.drainRate(rig.store(), jobs, KNOWN);
        } finally {
            bench.park(schema);
        }
    }
}
