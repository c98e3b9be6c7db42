package dev.longhaul.engine.run;

import dev.longhaul.HookContext;
import dev.longhaul.JobContext;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import java.util.Map;
import org.jspecify.annotations.Nullable;
import org.slf4j.MDC;

/** Adds the job's context fields (MDC) to every line that is logged in the thread of a run or hook. */
public final class LogContext {
    private static final String JOB_ID = "jobId";
    private static final String ATTEMPT = "attempt";
    private static final String DEFINITION = "definition";
    private static final String CORRELATION_ID = "correlationId";

    private LogContext() {}

    public static void put(JobContext context) {
        put(context.jobId(), context.attempt(), context.definition(), context.correlationId());
    }

    private static void put(@Nullable JobId id, int attempt, DefinitionRef definition, @Nullable String correlationId) {
        if (id != null) {
            MDC.put(JOB_ID, id.toString());
        }
        MDC.put(ATTEMPT, Integer.toString(attempt));
        MDC.put(DEFINITION, definition.toString());
        if (correlationId != null) {
            MDC.put(CORRELATION_ID, correlationId);
        }
    }

    public static void remove() {
        MDC.remove(JOB_ID);
        MDC.remove(ATTEMPT);
        MDC.remove(DEFINITION);
        MDC.remove(CORRELATION_ID);
    }

    /**
     * Runs {@code logging} with the context fields of a job, in a thread of the worker. Threads that the job's code
     * starts itself have no context fields.
     */
    public static void around(JobContext context, Runnable logging) {
        around(() -> put(context), logging);
    }

    /** Runs hooks with the context fields of their job. Hooks run in other threads than the job did. */
    public static void around(HookContext context, Runnable hooks) {
        around(() -> put(context.jobId(), context.attempt(), context.definition(), context.correlationId()), hooks);
    }

    private static void around(Runnable put, Runnable logging) {
        Map<String, String> before = MDC.getCopyOfContextMap();
        put.run();
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
