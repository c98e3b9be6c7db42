/**
 * Runs each job as a Kubernetes Job that survives its worker. Start at {@link dev.longhaul.kubernetes.PodExecutor},
 * which executes each run with a {@code PodRun}. The package {@code job} describes Jobs and interprets their states;
 * the package {@code cluster} accesses the API server. The engine and the library do not depend on this module.
 */
@NullMarked
package dev.longhaul.kubernetes;

import org.jspecify.annotations.NullMarked;
