package dev.longhaul.process.supervise;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes lines to a sitter on a thread of its own: a sitter that does not read, because it was stopped or swapped out, must not
 * block the threads that start, renew and end processes.
 */
final class SitterPipe implements AutoCloseable {
    /** Characters that may wait to be written; a sitter that has so much to read is of no use. */
    private static final int MOST_WAITING = 1 << 20;

    private final Process sitter;
    private final Thread writer;
    private StringBuilder waiting = new StringBuilder();
    private long queued;
    private long written;
    /** When the write began that has not returned yet; 0 while none is under way. */
    private long writingSince;

    private boolean closing;
    private boolean broken;

    SitterPipe(Process sitter) {
        this.sitter = sitter;
        this.writer = new Thread(this::write, "longhaul-sitter-pipe");
        writer.setDaemon(true);
        writer.start();
    }

    Process sitter() {
        return sitter;
    }

    /** Queues lines; never waits. */
    synchronized void send(String lines) {
        if (lines.isEmpty() || broken) {
            return;
        }
        if (waiting.length() > MOST_WAITING) {
            broken = true;
        }
        waiting.append(lines);
        queued += lines.length();
        notifyAll();
    }

    /** Waits until all that was queued has been written; false if it was not within that time. */
    synchronized boolean flush(long nanos) throws InterruptedException {
        long wanted = queued;
        long end = System.nanoTime() + nanos;
        while (written < wanted && !broken) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return written >= wanted;
    }

    /** Whether the sitter can be told something: it lives, and has read what it was sent not too long ago. */
    synchronized boolean usable(long patience) {
        return sitter.isAlive() && !broken && (writingSince == 0 || System.nanoTime() - writingSince < patience);
    }

    private void write() {
        try (OutputStream out = sitter.getOutputStream()) {
            for (String lines = next(); lines != null; lines = next()) {
                out.write(lines.getBytes(StandardCharsets.UTF_8));
                out.flush();
                wrote(lines.length());
            }
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            // The sitter has died, or this thread cannot write any more; another sitter is started.
            fail();
        }
    }

    /** Waits for lines; null once closed and nothing is left. */
    private synchronized @Nullable String next() throws InterruptedException {
        while (waiting.isEmpty()) {
            if (closing) {
                return null;
            }
            wait();
        }
        String lines = waiting.toString();
        waiting = new StringBuilder();
        writingSince = System.nanoTime();
        return lines;
    }

    private synchronized void wrote(int length) {
        written += length;
        writingSince = 0;
        notifyAll();
    }

    private synchronized void fail() {
        broken = true;
        notifyAll();
    }

    /** Ends the sitter's input once all has been written: it then kills what it still knows, and ends. */
    @Override
    public synchronized void close() {
        closing = true;
        notifyAll();
    }

    /** Ends a sitter that is of no use. It may be stopped, so it is not asked to. */
    void abandon() {
        fail();
        sitter.destroyForcibly();
        close();
    }
}
