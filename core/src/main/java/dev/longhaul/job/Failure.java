package dev.longhaul.job;

import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Names;
import dev.longhaul.internal.text.Text;
import java.io.PrintWriter;
import java.io.StringWriter;
import java.util.Set;
import org.jspecify.annotations.Nullable;

/**
 * Why a run or a job failed. Always storable: text is cut to its limit and characters that no store keeps are
 * replaced, so that the record of a failure cannot fail itself. Type and stack are for operators only.
 */
public record Failure(
        String code,
        String message,
        @Nullable String type,
        @Nullable String stack) {
    public static final String EXCEPTION = "exception";
    public static final String TIMEOUT = "timeout";
    public static final String EXIT_CODE = "exit_code";
    public static final String SIGNAL = "signal";
    public static final String OUT_OF_MEMORY = "out_of_memory";
    public static final String LOST = "lost";
    public static final String QUARANTINED = "quarantined";
    public static final String INVALID_RESULT = "invalid_result";
    public static final String RESULT_TOO_LARGE = "result_too_large";
    public static final String UNSTORABLE_RESULT = "unstorable_result";
    public static final String GIVEN_UP = "given_up";
    /** The run's pod could not be started. */
    public static final String NOT_STARTED = "not_started";
    /**
     * For a run whose job continues: the worker's code could not read the params and left the job to another worker.
     */
    public static final String PARAMS_UNREADABLE = "params_unreadable";
    /**
     * For a run whose job continues: the code of an earlier run in the worker ignores its interrupt, so the worker left
     * the job to another one.
     */
    public static final String STILL_RUNNING = "still_running";

    /** For a run whose job continues: the cluster ended the run's pod (eviction, node drain, preemption). */
    public static final String DISRUPTED = "disrupted";
    /** For a run whose job continues: the cluster has no quota left for the run's pod. */
    public static final String QUOTA = "quota";

    private static final Set<String> LEFT = Set.of(PARAMS_UNREADABLE, STILL_RUNNING, DISRUPTED, QUOTA);

    public Failure {
        new Problems().require(Names.valid(code), "code", code, Names.RULE).throwIfAny();
        message = Text.storableOf(message, Limits.ERROR_MESSAGE);
        type = type == null ? null : Text.storableOf(type, Limits.NAME);
        stack = stack == null ? null : Text.storableOf(stack, Limits.STACK);
    }

    /** Whether the job runs again, perhaps on another worker, without counting a failed attempt. */
    public boolean left() {
        return LEFT.contains(code);
    }

    public static Failure of(String code, String message) {
        return new Failure(code, message, null, null);
    }

    /** The failure of an exception: its message, or its type when it has none, and its stack. */
    public static Failure of(Throwable error) {
        String type = error.getClass().getName();
        try {
            String message = error.getMessage();
            var stack = new StringWriter();
            error.printStackTrace(new PrintWriter(stack));
            return new Failure(
                    EXCEPTION, message == null || message.isBlank() ? type : message, type, stack.toString());
        } catch (RuntimeException | Error e) {
            // getMessage may be overridden by job code, and so may throw.
            return new Failure(
                    EXCEPTION, type + ", whose message throws " + e.getClass().getName(), type, null);
        }
    }

    /**
     * The failure of a run whose lease expired. Omits the worker's id, because not every caller may see it; the run
     * contains it.
     */
    public static Failure lost() {
        return of(LOST, "lease expired: the worker did not renew it");
    }

    public static Failure quarantined(int crashes, Failure last) {
        return of(
                QUARANTINED,
                "stopped after " + crashes + " crashes, the last one: " + last.message
                        + "; find the cause, then retry the job");
    }
}
