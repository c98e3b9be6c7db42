/** A Kubernetes cluster for tests, with the behaviour and the statuses of a real one. Start at {@code SimulatedCluster}. */
package dev.longhaul.kubernetes.simulated;
