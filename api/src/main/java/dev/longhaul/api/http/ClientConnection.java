package dev.longhaul.api.http;

import java.util.concurrent.CompletionStage;
import java.util.concurrent.ScheduledExecutorService;

/** The connection to the client of one streaming response. Each web framework has an implementation. */
public interface ClientConnection {
    boolean isOpen();

    /**
     * Queues bytes, and returns immediately.
     *
     * @param taken runs when the connection has accepted the bytes; later if the client reads slowly
     * @return false if the response has ended
     */
    boolean write(byte[] bytes, Runnable taken);

    /** Ends the response after the queued bytes were sent. */
    void close();

    /** Disconnects the client and drops queued bytes. */
    void abort();

    /** Returns a stage that completes when the response has ended for any reason. */
    CompletionStage<?> ended();

    /** Returns a timer that runs short tasks once or repeatedly. */
    ScheduledExecutorService timer();

    /** Returns the client's address, for log lines. */
    Object address();
}
