package dev.longhaul.kubernetes;

import dev.longhaul.kubernetes.cluster.NamespaceView;
import dev.longhaul.kubernetes.cluster.Tracked;
import io.fabric8.kubernetes.api.model.Pod;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.atomic.LongAdder;
import java.util.function.Supplier;

/** Numbers of a worker's pods, for metrics. */
public final class PodStats {
    final LongAdder started = new LongAdder();
    final LongAdder startNanos = new LongAdder();
    final LongAdder takeovers = new LongAdder();
    final LongAdder disruptions = new LongAdder();
    final LongAdder orphans = new LongAdder();
    private final Supplier<Iterable<NamespaceView>> views;

    PodStats(Supplier<Iterable<NamespaceView>> views) {
        this.views = views;
    }

    /** Returns the number of pods of all workers of this database, by phase. */
    public Map<String, Integer> phases() {
        var phases = new TreeMap<>(Map.of("Pending", 0, "Running", 0, "Succeeded", 0, "Failed", 0, "Unknown", 0));
        for (NamespaceView view : views.get()) {
            for (Tracked tracked : view.values()) {
                Tracked.Seen seen = tracked.seen();
                Pod pod = seen.pod();
                String phase = pod == null || pod.getStatus() == null
                        ? null
                        : pod.getStatus().getPhase();
                if (phase != null && !seen.podDeleted()) {
                    phases.merge(phase, 1, Integer::sum);
                }
            }
        }
        return phases;
    }

    /** Returns how many containers have started. */
    public long started() {
        return started.sum();
    }

    /** Returns the total number of seconds from the creation of Jobs to the start of their containers. */
    public double startSeconds() {
        return startNanos.sum() / 1e9;
    }

    /** Returns how many pods were taken over from workers that have ended. */
    public long takeovers() {
        return takeovers.sum();
    }

    /** Returns how many pods the cluster ended, for example by an eviction. */
    public long disruptions() {
        return disruptions.sum();
    }

    /** Returns how many Jobs were deleted because they belonged to no run. */
    public long orphans() {
        return orphans.sum();
    }
}
