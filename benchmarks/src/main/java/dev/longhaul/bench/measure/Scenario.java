package dev.longhaul.bench.measure;

/** One measurement of the store, together with its control. */
public interface Scenario {
    Table run(Bench bench) throws Exception;
}
