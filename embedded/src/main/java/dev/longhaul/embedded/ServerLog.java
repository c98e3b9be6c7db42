package dev.longhaul.embedded;

import java.io.IOException;
import java.io.RandomAccessFile;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.List;
import java.util.stream.Collectors;

/** The server's log file, and the part written since the last start. */
final class ServerLog {
    private static final long ROTATE_ABOVE_BYTES = 10_000_000;
    private static final int LINES_SHOWN = 4;

    private final Path file;
    private long startOffset;

    ServerLog(Path home) {
        this.file = home.resolve("postgres.log");
    }

    Path file() {
        return file;
    }

    /** Marks the start of a run. Rotates a large log, keeping one older file. */
    void begin() throws IOException {
        if (Files.exists(file) && Files.size(file) > ROTATE_ABOVE_BYTES) {
            Files.move(file, file.resolveSibling("postgres.log.1"), StandardCopyOption.REPLACE_EXISTING);
        }
        Directories.createPrivateFile(file);
        startOffset = Files.size(file);
    }

    String sinceBegin() throws IOException {
        try (var in = new RandomAccessFile(file.toFile(), "r")) {
            in.seek(startOffset);
            var bytes = new byte[(int) Math.min(in.length() - startOffset, ROTATE_ABOVE_BYTES)];
            in.readFully(bytes);
            return new String(bytes, StandardCharsets.UTF_8);
        }
    }

    /** Returns the last lines as one text. Omits lines of level LOG if there are other lines. */
    String lastLines() throws IOException {
        var lines = sinceBegin().lines().toList();
        var problems = lines.stream().filter(line -> !line.contains(" LOG: ")).toList();
        return last(problems.isEmpty() ? lines : problems).stream()
                .map(String::strip)
                .collect(Collectors.joining(" / "));
    }

    private static List<String> last(List<String> lines) {
        return lines.subList(Math.max(0, lines.size() - LINES_SHOWN), lines.size());
    }
}
