package dev.longhaul.bench;

/** One question about the store, answered together with its control. */
interface Scenario {
    Table run(Bench bench) throws Exception;
}
