/**
 * Runs each job as a Kubernetes Job that survives its worker. Start at {@link dev.longhaul.kubernetes.PodExecutor}, which
 * executes a run by {@code PodRun}. {@code job} describes Jobs and reads their states, {@code cluster} talks to the API
 * server. The engine and the library do not depend on this module.
 */
@NullMarked
package dev.longhaul.kubernetes;

import org.jspecify.annotations.NullMarked;
