package dev.longhaul.bench.measure;

/** One question about the engine; its answers become rows of the one table. */
public interface EngineScenario {
    void run(Bench bench, EngineTable table) throws Exception;
}
