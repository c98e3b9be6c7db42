package dev.longhaul.embedded;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.util.Optional;

/** The contents of {@code postmaster.pid}: the server's process id, and whether it accepts connections. */
record PostmasterFile(long pid, String status) {
    private static final int STATUS_LINE = 7;

    static Path in(Path data) {
        return data.resolve("postmaster.pid");
    }

    /** Reads the file; empty if it does not exist, or if the server is just writing it. */
    static Optional<PostmasterFile> read(Path data) throws IOException {
        try {
            var lines = Files.readAllLines(in(data));
            if (lines.isEmpty()) {
                return Optional.empty();
            }
            // The process id is negative for a server in single-user mode.
            var status = lines.size() > STATUS_LINE ? lines.get(STATUS_LINE).strip() : "";
            return Optional.of(
                    new PostmasterFile(Math.abs(Long.parseLong(lines.get(0).strip())), status));
        } catch (NoSuchFileException | NumberFormatException e) {
            return Optional.empty();
        }
    }

    boolean isReady() {
        return status.equals("ready");
    }

    boolean isStopping() {
        return status.equals("stopping");
    }
}
