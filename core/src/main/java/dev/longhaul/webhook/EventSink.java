package dev.longhaul.webhook;

import org.jspecify.annotations.Nullable;

/** Sends deliveries whose destination is a topic, not an endpoint. Threads may share a sink. */
public interface EventSink extends AutoCloseable {
    /**
     * Sends a delivery, and returns once the topic has it durably. Messages about one job keep the order of the calls. Throws
     * {@link dev.longhaul.error.LonghaulException} with the reason; then it is unknown whether the topic has it.
     *
     * @param message the body, the same in every try
     * @param traceparent the trace of this try
     */
    void send(DueDelivery due, String message, @Nullable String traceparent);

    @Override
    void close();
}
