package dev.longhaul.bench.measure;

/** One question about the store, answered together with its control. */
public interface Scenario {
    Table run(Bench bench) throws Exception;
}
