package dev.longhaul.kubernetes;

import dev.longhaul.event.EventType;
import dev.longhaul.event.Payload;
import dev.longhaul.spi.Execution;

/** Reports of a run's pod: why it waits, and errors. */
final class PodReports {
    private final Execution execution;
    private String reported = "";

    PodReports(Execution execution) {
        this.execution = execution;
    }

    /** Reports why the pod waits, if the reason has changed. */
    void pod(String reason, String message) {
        String now = reason + " " + message;
        if (!reported.equals(now)) {
            reported = now;
            execution.report(
                    EventType.CUSTOM,
                    "{\"name\":\"pod\",\"data\":{\"reason\":" + Payload.quoted(reason) + ",\"message\":"
                            + Payload.quoted(message) + "}}");
        }
    }

    void error(String message) {
        execution.report(EventType.PROCESS_ERROR, "{\"message\":" + Payload.quoted(message) + "}");
    }
}
