/**
 * The Kubernetes Job of a run: its names, its manifest, and the meaning of its state. Does not access the API server.
 */
@NullMarked
package dev.longhaul.kubernetes.job;

import org.jspecify.annotations.NullMarked;
