package dev.longhaul.api.stream;

import static java.nio.charset.StandardCharsets.UTF_8;

import dev.longhaul.api.http.Answer;
import dev.longhaul.api.http.ClientConnection;
import dev.longhaul.api.rest.JobJson;
import dev.longhaul.event.JobEvent;
import dev.longhaul.internal.loop.Loops;
import dev.longhaul.job.Job;
import java.io.ByteArrayOutputStream;
import java.time.Duration;
import java.util.concurrent.ScheduledFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * One response of server-sent events. Its buffer is bounded: events that do not fit are rejected, and a client that
 * reads nothing for too long is disconnected.
 */
final class SseWriter implements EventStream.Sink {
    private static final Logger LOG = LoggerFactory.getLogger(SseWriter.class);
    static final int MOST_BYTES = 256 * 1024;
    static final int MOST_EVENTS = 1000;
    /** How long a client should wait before it reconnects. */
    private static final String RETRY = "retry: 2000\n";

    private static final Duration CHECK_EVERY = Duration.ofSeconds(5);
    private static final Duration PING = Duration.ofSeconds(15);
    private static final Duration PATIENCE = Duration.ofSeconds(10);
    private static final int CHUNK = 16 * 1024;

    private final ClientConnection client;
    private final JobJson json;
    private final JobJson.View view;
    private final ByteArrayOutputStream chunk = new ByteArrayOutputStream();
    private int chunkEvents;
    private int queuedBytes;
    private int queuedEvents;
    private boolean refused;
    private Runnable onRoom = () -> {};
    private long takenAt = System.nanoTime();
    private long pingedAt = System.nanoTime();

    SseWriter(ClientConnection client, JobJson json, JobJson.View view) {
        this.client = client;
        this.json = json;
        this.view = view;
    }

    /**
     * Starts the stream.
     *
     * @param whenRoom called when the buffer has room again after an event was rejected
     * @param onGone called once, when the response has ended for any reason
     */
    synchronized void open(Runnable whenRoom, Runnable onGone) {
        onRoom = whenRoom;
        control(RETRY + "\n");
        ScheduledFuture<?> upkeep = client.timer()
                .scheduleAtFixedRate(
                        Loops.guarded("stream-upkeep", this::keepUp),
                        CHECK_EVERY.toMillis(),
                        CHECK_EVERY.toMillis(),
                        TimeUnit.MILLISECONDS);
        var unused = client.ended().handle((done, failure) -> {
            upkeep.cancel(false);
            onGone.run();
            return null;
        });
    }

    @Override
    public boolean isOpen() {
        return client.isOpen();
    }

    /** Returns the number of buffered bytes that the client has not read yet. */
    synchronized int queuedBytes() {
        return queuedBytes + chunk.size();
    }

    @Override
    public boolean offer(JobEvent event) {
        String text = Answer.json(out -> json.write(out, event, view));
        return offer(event.position(), event.type().wireName(), text);
    }

    /** Queues a changed job, without its result; returns false if the buffer is full. */
    boolean offer(Job job) {
        return offer(null, "job", Answer.json(out -> json.writeBrief(out, job, view)));
    }

    /** Queues an event; returns false if the buffer is full. {@link #flush} sends queued events. */
    synchronized boolean offer(@Nullable Integer id, String type, String text) {
        byte[] block = block(id, type, text).getBytes(UTF_8);
        int events = queuedEvents + chunkEvents;
        // An event that is larger than the whole buffer is sent alone.
        if (events > 0 && (queuedBytes() + block.length > MOST_BYTES || events >= MOST_EVENTS)) {
            refused = true;
            return false;
        }
        chunk.writeBytes(block);
        chunkEvents++;
        if (chunk.size() >= CHUNK) {
            flush();
        }
        return true;
    }

    @Override
    public synchronized void flush() {
        if (chunk.size() > 0) {
            byte[] bytes = chunk.toByteArray();
            int events = chunkEvents;
            chunk.reset();
            chunkEvents = 0;
            write(bytes, events);
        }
    }

    /** Ends the stream with a last event, which is sent even if the buffer is full. */
    @Override
    public synchronized void end(Job job) {
        flush();
        control(block(
                null,
                "end",
                Answer.json(
                        out -> out.object(() -> out.text("status", job.status().wireName())))));
        client.close();
    }

    /** Ends the stream with an event that asks the client to reconnect. */
    @Override
    public synchronized void drain() {
        flush();
        control(RETRY + block(null, "drain", "{}"));
        client.close();
    }

    @Override
    public synchronized void close() {
        flush();
        client.close();
    }

    private synchronized void control(String text) {
        write(text.getBytes(UTF_8), 0);
    }

    private void write(byte[] bytes, int events) {
        if (queuedBytes == 0) {
            takenAt = System.nanoTime();
        }
        // Counted before the write, because the bytes may be sent at once.
        queuedBytes += bytes.length;
        queuedEvents += events;
        if (!client.write(bytes, () -> taken(bytes.length, events))) {
            queuedBytes -= bytes.length;
            queuedEvents -= events;
        }
    }

    private void taken(int bytes, int events) {
        boolean room;
        synchronized (this) {
            queuedBytes -= bytes;
            queuedEvents -= events;
            takenAt = System.nanoTime();
            room = refused && queuedBytes <= MOST_BYTES / 2 && queuedEvents <= MOST_EVENTS / 2;
            refused &= !room;
        }
        if (room) {
            // Called on another thread, because the caller of this method may hold locks.
            client.timer().execute(onRoom);
        }
    }

    /** Sends a ping to an idle client, and disconnects a client that stopped reading. */
    private synchronized void keepUp() {
        long now = System.nanoTime();
        if (queuedBytes == 0) {
            if (now - pingedAt >= PING.toNanos()) {
                pingedAt = now;
                control(": ping\n\n");
            }
        } else if (now - takenAt > PATIENCE.toNanos()) {
            LOG.info(
                    "client {} reads too slowly (timeout); stream closed with {} unread bytes",
                    client.address(),
                    queuedBytes);
            client.abort();
        }
    }

    private static String block(@Nullable Integer id, String type, String text) {
        return (id == null ? "" : "id: " + id + "\n") + "event: " + type + "\ndata: "
                + text.replace("\r\n", "\n").replace('\r', '\n').replace("\n", "\ndata: ") + "\n\n";
    }
}
