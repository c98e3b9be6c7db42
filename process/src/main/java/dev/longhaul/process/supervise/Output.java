package dev.longhaul.process.supervise;

import dev.longhaul.event.EventType;
import dev.longhaul.spi.Execution;
import java.io.IOException;
import java.io.InputStream;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Deque;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.Executor;
import java.util.concurrent.Executors;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Stores the output of a process as events of its job, in the order it was read, batched for 50 ms, and truncated in the
 * middle if it is too long. Each process has its own readers, so a process that prints a lot slows down only itself.
 */
public final class Output {
    /** Maximum bytes stored from the beginning of the output; {@link #TAIL} from its end. */
    static final int HEAD = 9 << 20;

    static final int TAIL = 1 << 20;
    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /** Maximum bytes per event. JSON may need six bytes for one, which still fits into an event. */
    private static final int LARGEST = 32 << 10;
    /** How long to read from pipes that are still open after all known processes have exited. */
    private static final long DRAIN_TIMEOUT = TimeUnit.SECONDS.toNanos(2);
    /** Threads are reused, because starting threads takes longer than a short command runs. */
    private static final Executor THREADS = Executors.newCachedThreadPool(work -> {
        var thread = new Thread(work, "longhaul-output");
        thread.setDaemon(true);
        return thread;
    });

    private final Execution execution;
    private @Nullable CompletableFuture<Void> sender;
    private final Deque<Chunk> gathered = new ArrayDeque<>();
    private final Deque<Chunk> tail = new ArrayDeque<>();
    private long gatheredSince;
    private int gatheredBytes;
    private long headBytes;
    private int tailBytes;
    private long dropped;
    private int reading = 2;
    /** Number of readers that are waiting for the store. */
    private int adding;

    private boolean closed;

    public Output(SupervisedProcess process, Execution execution) {
        this(process.stdout(), process.stderr(), execution);
    }

    public Output(InputStream stdout, InputStream stderr, Execution execution) {
        // These fields are set before the threads start, because the threads read them.
        this.execution = execution;
        THREADS.execute(() -> read("stdout", stdout));
        THREADS.execute(() -> read("stderr", stderr));
    }

    /** Starts the sender on the first output, because most processes print nothing. */
    private void startSender() {
        if (sender == null) {
            sender = CompletableFuture.runAsync(this::sendAll, THREADS);
        }
    }

    private void read(String stream, InputStream in) {
        byte[] buffer = new byte[LARGEST];
        var text = new Utf8Chunks();
        var hiding = new HidingStream(execution.secrets());
        try (in) {
            for (int length = in.read(buffer); length >= 0; length = in.read(buffer)) {
                for (byte[] piece : pieces(hiding.next(Arrays.copyOf(buffer, length)))) {
                    byte[] whole = text.next(piece);
                    if (whole.length > 0 && !add(new Chunk(stream, whole))) {
                        return;
                    }
                }
            }
        } catch (IOException e) {
            // The process has been killed.
        } finally {
            byte[] last = hiding.rest();
            synchronized (this) {
                for (byte[] piece : pieces(last)) {
                    keepLast(new Chunk(stream, text.next(piece)));
                }
                keepLast(new Chunk(stream, text.rest()));
                reading--;
                notifyAll();
            }
        }
    }

    /** Splits bytes into pieces that fit into an event: HidingStream may release many held-back bytes at once. */
    private static List<byte[]> pieces(byte[] bytes) {
        if (bytes.length <= LARGEST) {
            return List.of(bytes);
        }
        List<byte[]> pieces = new ArrayList<>();
        for (int from = 0; from < bytes.length; from += LARGEST) {
            pieces.add(Arrays.copyOfRange(bytes, from, Math.min(from + LARGEST, bytes.length)));
        }
        return pieces;
    }

    private void keepLast(Chunk chunk) {
        if (chunk.length() > 0 && !closed) {
            startSender();
            keep(chunk);
        }
    }

    /** Returns false once the output is closed. */
    private synchronized boolean add(Chunk chunk) {
        if (closed) {
            return false;
        }
        startSender();
        adding++;
        try {
            // Backpressure: while the store is slower than the process, the process blocks in write().
            while (gatheredBytes > LARGEST && headBytes < HEAD && !closed) {
                wait();
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            adding--;
        }
        keep(chunk);
        notifyAll();
        return true;
    }

    private void keep(Chunk chunk) {
        if (headBytes < HEAD) {
            headBytes += chunk.length();
            if (gathered.isEmpty()) {
                gatheredSince = System.nanoTime();
            }
            gatheredBytes += chunk.length();
            append(gathered, chunk);
            return;
        }
        tailBytes += chunk.length();
        append(tail, chunk);
        while (tailBytes - tail.getFirst().length() >= TAIL) {
            int length = tail.removeFirst().length();
            tailBytes -= length;
            dropped += length;
        }
    }

    /** Merges small chunks, so that output written byte by byte does not create one event per byte. */
    private static void append(Deque<Chunk> chunks, Chunk chunk) {
        Chunk last = chunks.peekLast();
        if (last != null && last.stream().equals(chunk.stream()) && last.length() + chunk.length() <= LARGEST) {
            last.append(chunk);
        } else {
            chunks.add(chunk);
        }
    }

    private void sendAll() {
        try {
            for (Deque<Chunk> chunks = next(); chunks != null; chunks = next()) {
                chunks.forEach(chunk -> execution.report(EventType.OUTPUT, chunk.json()));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        } finally {
            stopReading();
        }
    }

    /** Unblocks the readers, also after the sender has failed. */
    private synchronized void stopReading() {
        closed = true;
        notifyAll();
    }

    /** Waits for the next batch; null at the end of the output. */
    private synchronized @Nullable Deque<Chunk> next() throws InterruptedException {
        while (reading > 0 && !closed && (gathered.isEmpty() || (gatheredBytes < LARGEST && untilDue() > 0))) {
            if (gathered.isEmpty()) {
                wait();
            } else {
                TimeUnit.NANOSECONDS.timedWait(this, untilDue());
            }
        }
        if (gathered.isEmpty()) {
            return takeTail();
        }
        Deque<Chunk> taken = new ArrayDeque<>(gathered);
        gathered.clear();
        gatheredBytes = 0;
        notifyAll();
        return taken;
    }

    private long untilDue() {
        return gatheredSince + GATHER_NANOS - System.nanoTime();
    }

    private @Nullable Deque<Chunk> takeTail() {
        if (tail.isEmpty()) {
            return null;
        }
        Deque<Chunk> taken = new ArrayDeque<>();
        if (dropped > 0) {
            taken.add(Chunk.cut(dropped));
            dropped = 0;
        }
        taken.addAll(tail);
        tail.clear();
        return taken;
    }

    /**
     * Waits until all output was passed to the store. Call after the processes have exited. Pipes that are still open
     * then belong to a process that escaped and may never close them, so reading stops after 2 s.
     */
    public void await() {
        boolean interrupted = awaitReaders();
        CompletableFuture<Void> sending;
        synchronized (this) {
            sending = sender;
        }
        if (sending != null) {
            sending.join();
        }
        if (interrupted) {
            Thread.currentThread().interrupt();
        }
    }

    /** Waits for the readers. Returns whether the thread was interrupted meanwhile. */
    private synchronized boolean awaitReaders() {
        boolean interrupted = false;
        long left = DRAIN_TIMEOUT;
        while (reading > 0 && left > 0) {
            long since = System.nanoTime();
            // The timeout covers only reading; it does not cover waiting for the store.
            boolean idle = adding == 0;
            try {
                TimeUnit.NANOSECONDS.timedWait(this, left);
            } catch (InterruptedException e) {
                interrupted = true;
            }
            left -= idle ? System.nanoTime() - since : 0;
        }
        closed = true;
        notifyAll();
        return interrupted;
    }
}
