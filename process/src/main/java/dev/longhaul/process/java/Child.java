package dev.longhaul.process.java;

import dev.longhaul.process.child.Wire;
import dev.longhaul.process.child.Word;
import dev.longhaul.process.supervise.SupervisedProcess;
import dev.longhaul.spi.Execution;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** A child JVM. It waits for one run, executes it, and exits. */
final class Child implements AutoCloseable {
    private static final int MOST_ERROR_BYTES = 1000;

    private final SupervisedProcess process;
    private final CompletableFuture<Wire> ready = new CompletableFuture<>();
    private volatile @Nullable Execution execution;
    private volatile boolean closed;

    /**
     * Starts a child.
     *
     * @param onEarlyExit called if the JVM exits by itself before it is ready
     */
    Child(ChildSocket socket, Starter starter, Consumer<Child> onEarlyExit) throws IOException {
        this.process = starter.start(this);
        process.onExit(() -> {
            socket.forget(this);
            ready.completeExceptionally(new IOException("the child JVM exited before it was ready"));
            if (ready.isCompletedExceptionally() && !closed) {
                onEarlyExit.accept(this);
            }
        });
    }

    /** Starts the process of a child. The launch gets the child's remaining time from {@link Child#nanosLeft}. */
    interface Starter {
        SupervisedProcess start(Child child) throws IOException;
    }

    SupervisedProcess process() {
        return process;
    }

    long nanosLeft() {
        Execution running = execution;
        return running == null ? Long.MAX_VALUE : running.nanosLeft();
    }

    /**
     * Returns a future of the connection. It completes when the child is ready for a run, and fails if the child exits
     * earlier.
     */
    CompletableFuture<Wire> ready() {
        return ready;
    }

    /** Handles the authenticated connection of the child; the next message must be READY. */
    void connected(Wire wire) {
        try {
            Wire.Said said = wire.hear();
            if (said != null && said.word() == Word.READY) {
                ready.complete(wire);
                return;
            }
            ready.completeExceptionally(new IOException("the child JVM exited before it was ready"));
        } catch (IOException e) {
            ready.completeExceptionally(e);
        }
    }

    /** Returns why an idle JVM exited: its exit code and the first line of its error output. */
    String reasonOfExit() {
        try {
            String end = "exit code " + process.await().exitCode();
            String error = new String(process.stderr().readNBytes(MOST_ERROR_BYTES), StandardCharsets.UTF_8);
            return error.isBlank()
                    ? end
                    : end + ": " + error.lines().findFirst().orElse("");
        } catch (IOException e) {
            return "its errors cannot be read: " + e.getMessage();
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            return "interrupted";
        }
    }

    boolean isAssigned() {
        return execution != null;
    }

    void assigned(Execution to) {
        execution = to;
        process.begin();
    }

    @Override
    public void close() {
        closed = true;
        process.close();
        if (ready.isDone() && !ready.isCompletedExceptionally()) {
            try {
                ready.join().close();
            } catch (IOException e) {
                // The child has closed the connection already.
            }
        }
    }
}
