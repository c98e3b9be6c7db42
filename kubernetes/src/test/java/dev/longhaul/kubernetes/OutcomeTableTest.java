package dev.longhaul.kubernetes;

import dev.longhaul.kubernetes.simulated.SimulatedCluster;

/** The outcome table on the simulated cluster. */
class OutcomeTableTest extends OutcomeTable {
    @Override
    TestCluster cluster() {
        return new Simulation(new SimulatedCluster());
    }
}
