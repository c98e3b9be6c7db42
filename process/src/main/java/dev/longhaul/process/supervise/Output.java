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
 * What a process prints, as events of its job: in the order in which it was read, gathered for a moment, cut in the middle when
 * it is too much. Reading never waits for more than this process, so a chatty one slows only itself.
 */
public final class Output {
    /** Bytes of the beginning that are stored, and of the end. */
    static final int HEAD = 9 << 20;

    static final int TAIL = 1 << 20;
    private static final long GATHER_NANOS = TimeUnit.MILLISECONDS.toNanos(50);
    /** Bytes of an event: as JSON a byte may take six, which is less than an event may have. */
    private static final int LARGEST = 32 << 10;
    /** How long the pipes may stay open when all processes that were found have ended. */
    private static final long PATIENCE = TimeUnit.SECONDS.toNanos(2);
    /** Short commands would else take longer to be given threads than to run. */
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
    /** How many readers wait for the store. */
    private int adding;

    private boolean closed;

    public Output(SupervisedProcess process, Execution execution) {
        this(process.stdout(), process.stderr(), execution);
    }

    public Output(InputStream stdout, InputStream stderr, Execution execution) {
        // All fields before the threads, which may be faster than this one.
        this.execution = execution;
        THREADS.execute(() -> read("stdout", stdout));
        THREADS.execute(() -> read("stderr", stderr));
    }

    /** Most processes print nothing, and need nobody to send it. */
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

    /** Bytes that wait because they may be a secret's come all at once in the end. */
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

    /** False if nobody wants to hear more. */
    private synchronized boolean add(Chunk chunk) {
        if (closed) {
            return false;
        }
        startSender();
        adding++;
        try {
            // While the head is stored no faster than it comes, the process waits in its own print.
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

    /** What comes byte by byte must not become an event for each. */
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

    /** Nobody may wait for a sender that has failed. */
    private synchronized void stopReading() {
        closed = true;
        notifyAll();
    }

    /** What is to be sent now; null when all has been. */
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
     * Waits until everything is on its way to the store. To be called when the processes have ended: if the pipes stay open all the
     * same, somebody has them who got away, and may keep them for ever.
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

    /** Answers whether it was interrupted meanwhile. */
    private synchronized boolean awaitReaders() {
        boolean interrupted = false;
        long left = PATIENCE;
        while (reading > 0 && left > 0) {
            long since = System.nanoTime();
            // What waits for the store has been read already.
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
