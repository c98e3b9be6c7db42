package dev.longhaul.process.java;

import dev.longhaul.process.child.Wire;
import dev.longhaul.process.child.Word;
import dev.longhaul.process.supervise.SupervisedProcess;
import dev.longhaul.spi.Execution;
import java.io.IOException;
import java.util.concurrent.CompletableFuture;
import org.jspecify.annotations.Nullable;

/** A JVM that waits for the one run that it is for. */
final class Child implements AutoCloseable {
    private final SupervisedProcess process;
    private final CompletableFuture<Wire> ready = new CompletableFuture<>();
    private volatile @Nullable Execution execution;

    Child(ChildDoor door, Starter starter) throws IOException {
        this.process = starter.start(this);
        process.onExit(() -> {
            door.forget(this);
            ready.completeExceptionally(new IOException("it ended before it was ready"));
        });
    }

    /** Starts the process of a child, which is asked how long it may live. */
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

    /** Completed with its connection when it can be told what to run. */
    CompletableFuture<Wire> ready() {
        return ready;
    }

    /** It has proved to be the child; what it says next is that it is ready. */
    void connected(Wire wire) {
        try {
            Wire.Said said = wire.hear();
            if (said != null && said.word() == Word.READY) {
                ready.complete(wire);
                return;
            }
            ready.completeExceptionally(new IOException("it ended before it was ready"));
        } catch (IOException e) {
            ready.completeExceptionally(e);
        }
    }

    void assigned(Execution to) {
        execution = to;
        process.begin();
    }

    @Override
    public void close() {
        process.close();
        if (ready.isDone() && !ready.isCompletedExceptionally()) {
            try {
                ready.join().close();
            } catch (IOException e) {
                // It was closed from the other side.
            }
        }
    }
}
