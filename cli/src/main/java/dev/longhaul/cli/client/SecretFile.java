package dev.longhaul.cli.client;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.InvalidPathException;
import java.nio.file.Path;
import java.util.List;

/**
 * Reads secrets from a file, one per line. Secrets are never passed as arguments, because every user of the machine can
 * read those.
 */
public final class SecretFile {
    private SecretFile() {}

    public static List<String> read(String option, String file) {
        try {
            String text =
                    file.equals("-") ? new String(System.in.readAllBytes(), UTF_8) : Files.readString(Path.of(file));
            return text.lines()
                    .map(String::strip)
                    .filter(line -> !line.isEmpty())
                    .toList();
        } catch (IOException | InvalidPathException e) {
            throw ServerOptions.bad(option, file, "a readable text file, or -");
        }
    }
}
