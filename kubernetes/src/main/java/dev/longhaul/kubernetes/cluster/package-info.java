/**
 * Access to the API server: requests, the Jobs and pods that it reports
 * ({@link dev.longhaul.kubernetes.cluster.NamespaceView}), logs and rights. Does not depend on the code that executes
 * runs.
 */
@NullMarked
package dev.longhaul.kubernetes.cluster;

import org.jspecify.annotations.NullMarked;
