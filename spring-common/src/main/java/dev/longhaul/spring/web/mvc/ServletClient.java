package dev.longhaul.spring.web.mvc;

import dev.longhaul.api.http.ClientConnection;
import dev.longhaul.spring.web.StreamLife;
import dev.longhaul.spring.web.WebApi;
import jakarta.servlet.AsyncContext;
import jakarta.servlet.ServletOutputStream;
import jakarta.servlet.WriteListener;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.util.Queue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionStage;
import java.util.concurrent.ConcurrentLinkedQueue;
import java.util.concurrent.ScheduledExecutorService;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import java.util.concurrent.atomic.AtomicInteger;
import org.jspecify.annotations.Nullable;

/**
 * The client of a stream, written to without blocking. Any thread may call {@link #write}; one at a time moves bytes to the
 * container, and threads that come meanwhile leave it their work.
 */
final class ServletClient implements ClientConnection, WriteListener {
    private final HttpServletRequest request;
    private final HttpServletResponse response;
    private final WebApi api;
    private final Object address;
    private final Queue<Chunk> queue = new ConcurrentLinkedQueue<>();
    private final CompletableFuture<Void> ended = new CompletableFuture<>();
    private final AtomicInteger turns = new AtomicInteger();
    private final AtomicBoolean completed = new AtomicBoolean();
    private volatile boolean closing;
    /** The container's output; null until it is ready for the first time. */
    private volatile @Nullable ServletOutputStream out;

    private volatile @Nullable AsyncContext async;
    /** A chunk that the container has, but perhaps not the client. Used by the thread whose turn it is. */
    private @Nullable Chunk writing;

    private boolean flushed = true;

    private static final class Chunk {
        final byte[] bytes;
        final Runnable taken;

        Chunk(byte[] bytes, Runnable taken) {
            this.bytes = bytes;
            this.taken = taken;
        }
    }

    ServletClient(HttpServletRequest request, HttpServletResponse response, WebApi api) {
        this.request = request;
        this.response = response;
        this.api = api;
        this.address = request.getRemoteAddr() + ":" + request.getRemotePort();
    }

    /** Sends status and headers, and what was queued until now. */
    void start() throws IOException {
        AsyncContext started = request.startAsync(request, response);
        started.setTimeout(0);
        started.addListener(new AsyncEnd(this::end));
        async = started;
        var life = api.timer().schedule(this::close, StreamLife.MOST.toMillis(), TimeUnit.MILLISECONDS);
        var unused = ended.whenComplete((done, failure) -> life.cancel(false));
        response.getOutputStream().setWriteListener(this);
    }

    @Override
    public boolean isOpen() {
        return !closing && !ended.isDone();
    }

    @Override
    public boolean write(byte[] bytes, Runnable taken) {
        if (!isOpen()) {
            return false;
        }
        queue.add(new Chunk(bytes, taken));
        move();
        return true;
    }

    @Override
    public void close() {
        closing = true;
        move();
    }

    @Override
    public void abort() {
        closing = true;
        queue.clear();
        // Completing may wait for the client, which does not read.
        api.blocking().execute(this::complete);
    }

    @Override
    public CompletionStage<?> ended() {
        return ended;
    }

    @Override
    public ScheduledExecutorService timer() {
        return api.timer();
    }

    @Override
    public Object address() {
        return address;
    }

    @Override
    public void onWritePossible() throws IOException {
        out = response.getOutputStream();
        move();
    }

    @Override
    public void onError(Throwable failure) {
        complete();
    }

    /** Moves bytes while the container takes them; it calls {@link #onWritePossible} when it takes more. */
    private void move() {
        ServletOutputStream stream = out;
        if (stream == null || turns.getAndIncrement() != 0) {
            return;
        }
        int done = 1;
        do {
            try {
                moveAll(stream);
            } catch (IOException | IllegalStateException e) {
                // The container calls onError.
                end();
            }
            done = turns.addAndGet(-done);
        } while (done != 0);
    }

    private void moveAll(ServletOutputStream stream) throws IOException {
        while (!ended.isDone() && stream.isReady()) {
            if (!flushed) {
                flushed = true;
                stream.flush();
                continue;
            }
            Chunk before = writing;
            if (before != null) {
                writing = null;
                before.taken.run();
            }
            Chunk next = queue.poll();
            if (next == null) {
                if (closing) {
                    complete();
                }
                return;
            }
            writing = next;
            flushed = false;
            stream.write(next.bytes);
        }
    }

    private void complete() {
        AsyncContext started = async;
        if (started != null && completed.compareAndSet(false, true)) {
            try {
                started.complete();
            } catch (IllegalStateException e) {
                // The container has ended it.
            }
        }
        end();
    }

    /** Reports that the response has ended. */
    void end() {
        ended.complete(null);
    }
}
