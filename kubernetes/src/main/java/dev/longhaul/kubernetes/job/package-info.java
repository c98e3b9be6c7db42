/** The Kubernetes Job of a run: its names, its manifest, and what its state means. Knows no API server. */
@NullMarked
package dev.longhaul.kubernetes.job;

import org.jspecify.annotations.NullMarked;
