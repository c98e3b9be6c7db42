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

/** A {@link ReceiverProgram} in a separate process that can be killed and restarted, on the same port with a new file. */
final class ReceiverToKill implements AutoCloseable {
    private final Path home;
    private final Map<String, String> secretsByPath;
    private final long seed;
    private final int port;
    /** Number of first requests that it rejects. */
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

    /** Starts the process again; returns when it listens. */
    void start(boolean healthy) throws IOException {
        requestsBefore = requests();
        Path file = home.resolve("received-" + files.size());
        var setup = new Setup(
                port, file, secretsByPath, seed + files.size(), Math.max(0, failures - requestsBefore), healthy);
        process = JavaProcess.start(ReceiverProgram.class, setup.text());
        process.awaitReady();
        files.add(file);
    }

    /** Sends SIGKILL. */
    void kill() {
        if (process != null) {
            process.kill();
        }
    }

    int lives() {
        return files.size();
    }

    /** Number of requests so far, over all restarts; cheap enough for polling. */
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

    /** The outcomes of all requests over all restarts, in order. */
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
