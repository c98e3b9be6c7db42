package dev.longhaul.job;

import java.util.ArrayList;
import java.util.List;
import java.util.Locale;
import java.util.Set;

/**
 * The stored states of a job, with every allowed step between them. A step that is not in {@link #next()} is rejected.
 *
 * <p>{@code docs/state-machine.md} is generated from this table; the database's CHECK constraints repeat it.
 */
public enum JobState {
    /** Stored, but held until it is released. */
    CREATED(0),
    /** Eligible at its run time; shown as scheduled, queued or retrying ({@link JobStatus}). */
    WAITING(1),
    /** Leased to a worker. */
    RUNNING(2),
    /** Still leased; a cancel is requested. */
    CANCELLING(3),
    SUCCEEDED(4),
    FAILED(5),
    CANCELLED(6);

    private final short code;

    JobState(int code) {
        this.code = (short) code;
    }

    /** The states that may follow this one. */
    public Set<JobState> next() {
        return switch (this) {
            case CREATED -> Set.of(WAITING, CANCELLED);
            case WAITING -> Set.of(CREATED, RUNNING, CANCELLED);
            case RUNNING -> Set.of(SUCCEEDED, FAILED, WAITING, CANCELLING);
            case CANCELLING -> Set.of(CANCELLED, SUCCEEDED);
            case SUCCEEDED -> Set.of();
            case FAILED, CANCELLED -> Set.of(WAITING);
        };
    }

    /** Every allowed step, in the order of the states. */
    public static List<Edge> edges() {
        var edges = new ArrayList<Edge>();
        for (JobState from : values()) {
            for (JobState to : values()) {
                if (from.next().contains(to)) {
                    edges.add(new Edge(from, to));
                }
            }
        }
        return List.copyOf(edges);
    }

    /** Whether the job has ended; only an operator's retry leaves such a state. */
    public boolean terminal() {
        return code >= SUCCEEDED.code;
    }

    /** Whether a worker holds a lease in this state. */
    public boolean leased() {
        return this == RUNNING || this == CANCELLING;
    }

    /** The number by which stores keep this state. It must never change. */
    public short code() {
        return code;
    }

    public static JobState ofCode(int code) {
        return values()[code];
    }

    public String wireName() {
        return name().toLowerCase(Locale.ROOT);
    }

    /** One allowed step of the state machine. */
    public record Edge(JobState from, JobState to) {
        @Override
        public String toString() {
            return from.wireName() + " → " + to.wireName();
        }
    }
}
