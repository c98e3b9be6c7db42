package dev.longhaul.server.webhook;

import dev.longhaul.server.webhook.ReceiverProgram.Note;
import dev.longhaul.server.webhook.ReceiverProgram.Setup;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A {@link ReceiverProgram} in a process of its own that dies and comes back, on the same port and with another file each time. */
final class ReceiverToKill implements AutoCloseable {
    private final Path home;
    private final Map<String, String> secretsByPath;
    private final long seed;
    private final int port;
    /** How many requests it refuses before all others. */
    private final int failures;

    private final List<Path> files = new ArrayList<>();
    private int requestsBefore;
    private @Nullable JavaProcess process;

    ReceiverToKill(Path home, Map<String, String> secretsByPath, long seed, int failures) {
        this.home = home;
        this.secretsByPath = secretsByPath;
        this.seed = seed;
        this.failures = failures;
        try (Receiver free = new Receiver()) {
            port = free.port();
        }
    }

    String url(String path) {
        return "http://127.0.0.1:" + port + path;
    }

    /** Begins another life; comes back when it listens. */
    void start(boolean healthy) throws IOException {
        requestsBefore = requests();
        Path file = home.resolve("received-" + files.size());
        var setup = new Setup(
                port, file, secretsByPath, seed + files.size(), Math.max(0, failures - requestsBefore), healthy);
        process = JavaProcess.start(ReceiverProgram.class, setup.text());
        process.awaitReady();
        files.add(file);
    }

    /** As kill -9 does. */
    void kill() {
        if (process != null) {
            process.kill();
        }
    }

    int lives() {
        return files.size();
    }

    /** How many requests there were so far, in all its lives. Cheap enough to wait by. */
    int requests() throws IOException {
        if (files.isEmpty()) {
            return 0;
        }
        int lines = 0;
        for (byte one : Files.readAllBytes(files.get(files.size() - 1))) {
            if (one == '\n') {
                lines++;
            }
        }
        return requestsBefore + lines;
    }

    /** What became of each request in all its lives, first to last. */
    List<Note> notes() throws IOException {
        var notes = new ArrayList<Note>();
        for (Path file : files) {
            notes.addAll(ReceiverProgram.read(file));
        }
        return notes;
    }

    @Override
    public void close() {
        kill();
    }
}
