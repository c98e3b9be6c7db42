package dev.longhaul.process.sitter;

/** How a process tree is killed, most reliable first. */
public enum KillMethod {
    /** The kernel kills the cgroup of the tree atomically. */
    CGROUP_KILL,
    /** The cgroup of the tree is frozen first, so that no process can fork while it is killed. */
    CGROUP_FREEZER,
    /** The tree has its own PID namespace. If its first process is killed, the kernel kills all others. */
    PID_NAMESPACE,
    /**
     * Stops all descendants until no new ones appear, then kills them. Processes that have detached from the tree may
     * survive.
     */
    WALK
}
