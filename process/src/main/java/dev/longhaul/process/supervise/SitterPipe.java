package dev.longhaul.process.supervise;

import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/**
 * Writes lines to a sitter on its own thread: a sitter that does not read, because it was stopped or swapped out, must not
 * block the threads that start, renew and end processes.
 */
final class SitterPipe implements AutoCloseable {
    /** Maximum number of queued characters. A sitter with more of them unread is replaced. */
    private static final int MOST_WAITING = 1 << 20;

    private final Process sitter;
    private final Thread writer;
    private StringBuilder waiting = new StringBuilder();
    private long queued;
    private long written;
    /** Start time of the current write; 0 if none is in progress. */
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

    /** Waits until all queued lines are written; returns false on timeout. */
    synchronized boolean flush(long nanos) throws InterruptedException {
        long target = queued;
        long end = System.nanoTime() + nanos;
        while (written < target && !broken) {
            long left = end - System.nanoTime();
            if (left <= 0) {
                return false;
            }
            TimeUnit.NANOSECONDS.timedWait(this, left);
        }
        return written >= target;
    }

    /** Returns whether the sitter is alive and no write to it has been blocked for longer than the timeout. */
    synchronized boolean usable(long timeout) {
        return sitter.isAlive() && !broken && (writingSince == 0 || System.nanoTime() - writingSince < timeout);
    }

    private void write() {
        try (OutputStream out = sitter.getOutputStream()) {
            for (String lines = next(); lines != null; lines = next()) {
                out.write(lines.getBytes(StandardCharsets.UTF_8));
                out.flush();
                wrote(lines.length());
            }
        } catch (IOException | InterruptedException | RuntimeException | Error e) {
            // The sitter has died, or this thread cannot write to it; the caller starts another one.
            fail();
        }
    }

    /** Waits for lines; null when the pipe is closed and all lines are written. */
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

    /** Closes the sitter's input once all lines are written; the sitter then kills its remaining trees and exits. */
    @Override
    public synchronized void close() {
        closing = true;
        notifyAll();
    }

    /** Kills the sitter with KILL, because a stopped process does not react to TERM. */
    void abandon() {
        fail();
        sitter.destroyForcibly();
        close();
    }
}
