package dev.longhaul.server;

import com.sun.management.UnixOperatingSystemMXBean;
import java.lang.management.ManagementFactory;

/** Derives the limit of client connections from the process's limit of open files. */
final class OpenFiles {
    private static final int MOST_CONNECTIONS = 10_000;
    private static final int FEWEST_CONNECTIONS = 100;

    private OpenFiles() {}

    /** Returns the default of {@code --max-connections}. */
    static int maxConnections() {
        return ManagementFactory.getOperatingSystemMXBean() instanceof UnixOperatingSystemMXBean unix
                ? maxConnections(unix.getMaxFileDescriptorCount())
                : MOST_CONNECTIONS;
    }

    /**
     * Returns half of the open files; the other half is for jars, logs, database connections and pipes to child
     * processes.
     */
    static int maxConnections(long openFiles) {
        return (int) Math.max(FEWEST_CONNECTIONS, Math.min(MOST_CONNECTIONS, openFiles / 2));
    }
}
