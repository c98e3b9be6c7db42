package dev.longhaul.api.http;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;

/** Where the bytes of a stream go: the client of one streaming response. Each web framework has an implementation. */
public interface ClientConnection {
    boolean isOpen();

    /**
     * Queues bytes, and returns at once.
     *
     * @param taken runs when the connection has taken the bytes, that is, when the client reads fast enough
     * @return false if the response has ended
     */
    boolean write(byte[] bytes, Runnable taken);

    /** Ends the response after the queued bytes. */
    void close();

    /** Disconnects the client and drops queued bytes. */
    void abort();

    /** Completes when the response has ended for any reason. */
    CompletionStage<?> ended();

    /** Runs short tasks, at once or repeatedly. */
    ScheduledExecutorService timer();

    /** The client's address, for log lines. */
    Object address();
}
