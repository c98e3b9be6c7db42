package dev.longhaul.bench.measure;

/** One measurement of the engine. Its results become rows of the table. */
public interface EngineScenario {
    void run(Bench bench, EngineTable table) throws Exception;
}
