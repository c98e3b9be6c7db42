package dev.longhaul.worker;

import dev.longhaul.definition.JobContext;
import dev.longhaul.job.JobId;
import java.util.Map;
import org.slf4j.MDC;

/** Marks every line that is logged in a run's thread with the job that it is about. */
final class LogMarks {
    private static final String JOB_ID = "jobId";
    private static final String ATTEMPT = "attempt";
    private static final String DEFINITION = "definition";
    private static final String CORRELATION_ID = "correlationId";

    private LogMarks() {}

    static void put(JobContext context) {
        JobId id = context.jobId();
        if (id != null) {
            MDC.put(JOB_ID, id.toString());
        }
        MDC.put(ATTEMPT, Integer.toString(context.attempt()));
        MDC.put(DEFINITION, context.definition().toString());
        String correlationId = context.correlationId();
        if (correlationId != null) {
            MDC.put(CORRELATION_ID, correlationId);
        }
    }

    static void remove() {
        MDC.remove(JOB_ID);
        MDC.remove(ATTEMPT);
        MDC.remove(DEFINITION);
        MDC.remove(CORRELATION_ID);
    }

    /** The code may log from threads of its own, which are not marked. */
    static void around(JobContext context, Runnable logging) {
        Map<String, String> before = MDC.getCopyOfContextMap();
        put(context);
        try {
            logging.run();
        } finally {
            if (before == null) {
                remove();
            } else {
                MDC.setContextMap(before);
            }
        }
    }
}
