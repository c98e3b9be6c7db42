package dev.longhaul.kubernetes.cluster;

import io.fabric8.kubernetes.client.KubernetesClient;
import io.fabric8.kubernetes.client.http.HttpRequest;
import io.fabric8.kubernetes.client.http.HttpResponse;
import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.time.DateTimeException;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.Arrays;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/**
 * The log of a container while it grows. Reconnects by itself, and then drops lines that it has already returned,
 * because the API server resumes at whole seconds only. After {@link #containerEnded}, the stream ends at the end of
 * the log.
 */
public final class PodLog extends InputStream {
    private static final long PAUSE_MILLIS = 500;
    private static final long CONNECT_SECONDS = 10;
    private static final int LONGEST_PIECE = 256 * 1024;
    private static final int SERVER_ERROR = 500;
    private static final int OK = 200;
    private static final byte[] NOTHING = {};

    private final KubernetesClient client;
    private final String uri;
    private final CountDownLatch closed = new CountDownLatch(1);
    private final CountDownLatch finished = new CountDownLatch(1);
    private volatile boolean ended;
    private volatile @Nullable Instant last;
    private volatile @Nullable InputStream source;
    /** Lines up to this time were returned before the current connection. */
    private @Nullable Instant returned;

    /** Whether the container had ended when the current connection was opened. */
    private boolean endedAtConnect;

    private boolean complete;
    private boolean midLine;
    private boolean dropping;
    private byte[] ready = NOTHING;
    private int position;

    PodLog(KubernetesClient client, String namespace, String pod, @Nullable Instant after) {
        this.client = client;
        this.last = after;
        this.uri = client.getMasterUrl() + "api/v1/namespaces/" + namespace + "/pods/" + pod
                + "/log?container=job&follow=true&timestamps=true";
    }

    /** Returns the timestamp of the last returned line; null before the first line. */
    public @Nullable Instant last() {
        return last;
    }

    /** Call when the container has ended. The stream then ends at the next end of the log. */
    public void containerEnded() {
        ended = true;
    }

    /** Closes the connection, so that reading continues on a new one: the current one may be dead without an error. */
    public void reconnect() {
        disconnect();
    }

    /** Waits until everything was read; returns false on timeout. */
    public boolean awaitEnd(long millis) throws InterruptedException {
        return finished.await(millis, TimeUnit.MILLISECONDS);
    }

    @Override
    public int read() throws IOException {
        byte[] one = new byte[1];
        return read(one, 0, 1) < 0 ? -1 : one[0] & 0xff;
    }

    @Override
    public int read(byte[] into, int offset, int length) throws IOException {
        try {
            while (position == ready.length) {
                if (complete || isClosed()) {
                    disconnect();
                    finished.countDown();
                    return -1;
                }
                advance();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            finished.countDown();
            return -1;
        }
        int count = Math.min(length, ready.length - position);
        System.arraycopy(ready, position, into, offset, count);
        position += count;
        return count;
    }

    private boolean isClosed() {
        return closed.getCount() == 0;
    }

    /** Reads the next line, or connects again at the end of a connection. */
    private void advance() throws InterruptedException {
        InputStream open = source;
        boolean wasEnded = ended;
        if (open == null) {
            connect(wasEnded);
            return;
        }
        try {
            byte[] line = line(open);
            if (line != null) {
                accept(line);
                return;
            }
            // If the container had ended before this connection was opened, the log is complete; otherwise the
            // connection may have ended early.
            complete = endedAtConnect;
        } catch (IOException e) {
            complete = false;
        }
        disconnect();
        if (!complete && !ended) {
            pause();
        }
    }

    private void pause() throws InterruptedException {
        boolean early = closed.await(PAUSE_MILLIS, TimeUnit.MILLISECONDS);
        complete |= early;
    }

    private void connect(boolean wasEnded) throws InterruptedException {
        Instant since = last;
        String from = since == null ? "" : "&sinceTime=" + since.truncatedTo(ChronoUnit.SECONDS);
        try {
            HttpResponse<InputStream> response = response(uri + from);
            if (response.code() == OK) {
                returned = since;
                midLine = false;
                endedAtConnect = wasEnded;
                source = response.body();
                return;
            }
            response.body().close();
            // The response has no log: the container never ran, or its pod is gone.
            complete = wasEnded && response.code() < SERVER_ERROR;
        } catch (ExecutionException | TimeoutException | IOException | RuntimeException e) {
            complete = false;
        }
        if (!complete) {
            pause();
        }
    }

    private HttpResponse<InputStream> response(String address)
            throws InterruptedException, ExecutionException, TimeoutException {
        HttpRequest request = client.getHttpClient()
                .newHttpRequestBuilder()
                .uri(address)
                .forStreaming()
                .build();
        var response = client.getHttpClient().sendAsync(request, InputStream.class);
        boolean received = false;
        try {
            HttpResponse<InputStream> now = response.get(CONNECT_SECONDS, TimeUnit.SECONDS);
            received = true;
            return now;
        } finally {
            if (!received) {
                // A connection that nothing reads would stay open as long as the container runs.
                var unused = response.thenAccept(late -> close(late.body()));
            }
        }
    }

    private void disconnect() {
        InputStream open = source;
        source = null;
        if (open != null) {
            close(open);
        }
    }

    private static void close(InputStream open) {
        try {
            open.close();
        } catch (IOException e) {
            // The connection is closed already.
        }
    }

    /** Returns a line with its line end, or a piece of a long line; null at the end. */
    private static byte @Nullable [] line(InputStream in) throws IOException {
        var line = new ByteArrayOutputStream(128);
        int next = in.read();
        while (next >= 0) {
            line.write(next);
            if (next == '\n' || line.size() >= LONGEST_PIECE) {
                break;
            }
            next = in.read();
        }
        return line.size() == 0 ? null : line.toByteArray();
    }

    private void accept(byte[] line) {
        boolean whole = line[line.length - 1] == '\n';
        int start = 0;
        if (!midLine) {
            int space = 0;
            while (space < line.length && line[space] != ' ') {
                space++;
            }
            Instant at = instant(new String(line, 0, space, StandardCharsets.US_ASCII));
            Instant before = returned;
            dropping = at != null && before != null && !at.isAfter(before);
            if (at != null) {
                start = Math.min(space + 1, line.length);
                last = dropping ? last : at;
            }
        }
        midLine = !whole;
        ready = dropping ? NOTHING : Arrays.copyOfRange(line, start, line.length);
        position = 0;
    }

    private static @Nullable Instant instant(String text) {
        try {
            return Instant.parse(text);
        } catch (DateTimeException e) {
            return null;
        }
    }

    /** Ends the current and all later reads. */
    @Override
    public void close() {
        closed.countDown();
        disconnect();
    }
}
