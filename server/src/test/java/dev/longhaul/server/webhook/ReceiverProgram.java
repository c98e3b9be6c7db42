package dev.longhaul.server.webhook;

import static java.nio.charset.StandardCharsets.UTF_8;

import com.fasterxml.jackson.core.JsonProcessingException;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.standardwebhooks.Webhook;
import com.standardwebhooks.exceptions.WebhookVerificationException;
import dev.longhaul.server.webhook.Receiver.Received;
import dev.longhaul.server.webhook.Receiver.Reply;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.net.http.HttpHeaders;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * The program of a {@link ReceiverToKill}. It rejects the first requests, and then fails randomly until it is healthy. It
 * verifies each accepted request with the reference library and writes it to a file before it responds, so that the file
 * contains every acknowledged request even if the process is killed.
 */
final class ReceiverProgram {
    static final String TAKEN = "taken";
    static final String FORGED = "forged";
    static final String FAILS = "500";
    static final String HANGS = "hangs";
    static final String REDIRECTS = "redirects";

    private static final ObjectMapper JSON = new ObjectMapper();
    /** Longer than the server's timeout. */
    private static final long HANG_MILLIS = 700;

    private final Map<String, Webhook> verifiers;
    private final OutputStream notes;
    private final Random random;
    private final boolean healthy;
    private int failuresLeft;

    /**
     * The outcome of one request.
     *
     * @param how one of the constants above
     * @param body empty if the request was not accepted
     */
    record Note(String how, String path, String id, String body) {}

    /** Settings of the program. */
    record Setup(int port, Path file, Map<String, String> secretsByPath, long seed, int failures, boolean healthy) {
        String text() throws JsonProcessingException {
            return JSON.writeValueAsString(this);
        }
    }

    private ReceiverProgram(Setup setup) throws Exception {
        var byPath = new HashMap<String, Webhook>();
        for (Map.Entry<String, String> entry : setup.secretsByPath().entrySet()) {
            byPath.put(entry.getKey(), new Webhook(entry.getValue()));
        }
        verifiers = Map.copyOf(byPath);
        // Unbuffered: the operating system keeps written data even if the process is killed.
        notes = Files.newOutputStream(setup.file(), StandardOpenOption.CREATE_NEW, StandardOpenOption.APPEND);
        random = new Random(setup.seed());
        failuresLeft = setup.failures();
        healthy = setup.healthy();
    }

    private Reply answer(Received request) {
        String how = decide(request);
        if (how.equals(HANGS)) {
            LockSupport.parkNanos(TimeUnit.MILLISECONDS.toNanos(HANG_MILLIS));
        }
        return switch (how) {
            case TAKEN -> Reply.of(204);
            case FORGED -> Reply.of(401);
            case REDIRECTS -> new Reply(302, "http://127.0.0.1:1/", "");
            default -> Reply.of(500);
        };
    }

    /** Synchronized, so that notes are complete and in the order of the requests. */
    private synchronized String decide(Received request) {
        int choice = random.nextInt(8);
        String how;
        if (failuresLeft > 0) {
            failuresLeft--;
            how = FAILS;
        } else if (!healthy && choice < 3) {
            how = List.of(FAILS, HANGS, REDIRECTS).get(choice);
        } else {
            how = genuine(request) ? TAKEN : FORGED;
        }
        String body = how.equals(TAKEN) ? request.body() : "";
        try {
            notes.write((JSON.writeValueAsString(new Note(how, request.path(), request.id(), body)) + "\n")
                    .getBytes(UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return how;
    }

    private boolean genuine(Received request) {
        try {
            Webhook verifier = verifiers.get(request.path());
            if (verifier == null) {
                return false;
            }
            verifier.verify(request.body(), HttpHeaders.of(request.headers(), (name, value) -> true));
            return true;
        } catch (WebhookVerificationException e) {
            return false;
        }
    }

    /** Reads the notes. An incomplete last note was not acknowledged. */
    static List<Note> read(Path file) throws IOException {
        String text = Files.readString(file);
        var read = new ArrayList<Note>();
        for (String line : text.substring(0, text.lastIndexOf('\n') + 1).lines().toList()) {
            read.add(JSON.readValue(line, Note.class));
        }
        return read;
    }

    public static void main(String[] arguments) throws Exception {
        Setup setup = JSON.readValue(arguments[0], Setup.class);
        Receiver receiver = new Receiver("127.0.0.1", setup.port(), new ReceiverProgram(setup)::answer);
        JavaProcess.untilTheTestEnds();
        receiver.close();
    }
}
