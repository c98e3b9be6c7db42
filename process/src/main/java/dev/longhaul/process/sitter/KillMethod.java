package dev.longhaul.process.sitter;

/** How a whole tree of processes is ended, best first. */
public enum KillMethod {
    /** A cgroup of its own that the kernel kills as one. */
    CGROUP_KILL,
    /** A cgroup of its own that is frozen first, so that nothing in it can fork while it is killed. */
    CGROUP_FREEZER,
    /** A PID namespace of its own, which ends with its first process. */
    PID_NAMESPACE,
    /** Stopping what descends from the first process until nothing new turns up. Who left the family may be missed. */
    WALK
}
