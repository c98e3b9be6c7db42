/**
 * The API server: requests, the Jobs and pods that it reports ({@link dev.longhaul.kubernetes.cluster.NamespaceView}), logs and
 * rights. Knows nothing of executions.
 */
@NullMarked
package dev.longhaul.kubernetes.cluster;

import org.jspecify.annotations.NullMarked;
