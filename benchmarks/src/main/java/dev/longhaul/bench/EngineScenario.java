package dev.longhaul.bench;

/** One question about the engine; its answers become rows of the one table. */
interface EngineScenario {
    void run(Bench bench, EngineTable table) throws Exception;
}
