package dev.longhaul.stats;

/**
 * This process's view of its database servers since it started.
 *
 * @param timeline the PostgreSQL timeline, which rises with every promotion of a standby; 0 when unknown
 * @param failovers changes of the timeline
 * @param lostJobs jobs that this process had acknowledged and that were missing after a failover
 * @param replicaUp whether lists and counts are read from the read replica; true without one
 * @param replicaFallbacks reads that the primary served because the read replica failed
 */
public record DatabaseLink(int timeline, long failovers, long lostJobs, boolean replicaUp, long replicaFallbacks) {
    /** No events, without a read replica. */
    public static final DatabaseLink NONE = new DatabaseLink(0, 0, 0, true, 0);
}
