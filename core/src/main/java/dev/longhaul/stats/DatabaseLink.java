package dev.longhaul.stats;

/**
 * What this process has seen of its database servers since it started.
 *
 * @param replicaUp whether lists and counts are read from the read replica; true without one
 * @param replicaFallbacks reads that the primary served because the read replica failed
 */
public record DatabaseLink(boolean replicaUp, long replicaFallbacks) {
    /** Nothing to report. */
    public static final DatabaseLink NONE = new DatabaseLink(true, 0);
}
