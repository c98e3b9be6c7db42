package dev.longhaul.cli.client.job;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStream;
import java.io.InputStreamReader;
import java.time.Duration;
import java.util.concurrent.ArrayBlockingQueue;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Reads server-sent events from one connection on a separate thread, so that the caller can wait with a timeout. */
final class EventStream implements AutoCloseable {
    private static final int BUFFERED_LINES = 1000;
    /** Marks the end of the stream. It differs from every line, because lines contain no line breaks. */
    private static final String END = "\n";

    private final BlockingQueue<String> lines = new ArrayBlockingQueue<>(BUFFERED_LINES);
    private final InputStream source;
    private final Thread reader;
    private long retryMillis = -1;

    EventStream(InputStream source) {
        this.source = source;
        this.reader = new Thread(this::read, "longhaul-events");
        reader.setDaemon(true);
        reader.start();
    }

    /** One message. Absent fields are empty. */
    record Message(String id, String event, String data) {}

    /**
     * Returns the next message; null if the stream has ended, or if nothing arrived within the timeout, not even a
     * ping.
     */
    @Nullable
    Message next(Duration timeout) throws InterruptedException {
        String id = "";
        String event = "";
        var data = new StringBuilder();
        while (true) {
            String line = lines.poll(timeout.toNanos(), TimeUnit.NANOSECONDS);
            if (line == null || line.equals(END)) {
                return null;
            }
            int colon = line.indexOf(':');
            String name = colon < 0 ? line : line.substring(0, colon);
            String value = colon < 0 ? "" : line.substring(colon + 1);
            value = value.startsWith(" ") ? value.substring(1) : value;
            switch (name) {
                case "id" -> id = value;
                case "event" -> event = value;
                case "data" -> data.append(data.isEmpty() ? "" : "\n").append(value);
                case "retry" -> retryMillis = number(value, retryMillis);
                default -> {
                    if (line.isEmpty() && !(event.isEmpty() && data.isEmpty())) {
                        return new Message(id, event, data.toString());
                    }
                    if (line.startsWith(":") && event.isEmpty() && data.isEmpty()) {
                        return new Message("", "", ""); // a ping is not an event, but shows that the server is alive
                    }
                }
            }
        }
    }

    /** Returns the reconnect delay that the server requested; negative if it sent none. */
    long retryMillis() {
        return retryMillis;
    }

    static long number(String text, long otherwise) {
        try {
            return Long.parseLong(text);
        } catch (NumberFormatException e) {
            return otherwise;
        }
    }

    private void read() {
        try (var reading = new BufferedReader(new InputStreamReader(source, UTF_8))) {
            for (String line = reading.readLine(); line != null; line = reading.readLine()) {
                lines.put(line);
            }
        } catch (IOException e) {
            // The connection is lost. An incomplete last message is dropped.
        } catch (InterruptedException e) {
            return;
        }
        try {
            lines.put(END);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    @Override
    public void close() {
        reader.interrupt();
        try {
            source.close();
        } catch (IOException e) {
            // The stream is no longer read.
        }
    }
}
