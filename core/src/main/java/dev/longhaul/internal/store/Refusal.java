package dev.longhaul.internal.store;

import dev.longhaul.error.ErrorCode;
import dev.longhaul.error.FieldError;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import dev.longhaul.job.Limits;
import dev.longhaul.job.ScheduleFire;
import dev.longhaul.spi.JobCommand;
import java.time.Instant;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** The errors with which every store rejects a request. */
public final class Refusal {
    private Refusal() {}

    public static LonghaulException notFound(JobId id) {
        return new LonghaulException(ErrorCode.NOT_FOUND, "job " + id + " not found");
    }

    public static LonghaulException noSchedule(String key) {
        return new LonghaulException(ErrorCode.NOT_FOUND, "schedule " + key + " not found");
    }

    public static LonghaulException scheduleExists(String key) {
        return new LonghaulException(ErrorCode.FAILED_PRECONDITION, "schedule " + key + " already exists");
    }

    /** Throws unless the job's state allows the command. */
    public static void throwUnlessAllowed(JobCommand command, Job job) {
        if (command.allowedFor(job)) {
            return;
        }
        throw command instanceof JobCommand.Hold
                ? notHoldable(job.id(), job.status(), job.spec().schedule())
                : forbidden(job.id(), job.status(), command.step(), command.needs());
    }

    /** The error for a hold of a job that is not waiting, or that belongs to a schedule. */
    private static LonghaulException notHoldable(JobId id, JobStatus status, @Nullable ScheduleFire schedule) {
        String why = switch (status) {
            case CREATED -> "job " + id + " is already held";
            case SCHEDULED, QUEUED, RETRYING ->
                "job " + id + " belongs to schedule " + (schedule == null ? "" : schedule.scheduleKey())
                        + " and cannot be held; pause the schedule, or cancel the job";
            case RUNNING, CANCELLING, SUCCEEDED, FAILED, CANCELLED ->
                "cannot hold " + status.wireName() + " job " + id
                        + "; only scheduled, queued and retrying jobs can be held";
        };
        return new LonghaulException(ErrorCode.FAILED_PRECONDITION, why);
    }

    /**
     * The error for a step that the job's status does not allow, such as {@code retry}, which needs
     * {@code failed or cancelled}.
     */
    public static LonghaulException forbidden(JobId id, JobStatus status, String step, String needs) {
        return new LonghaulException(
                ErrorCode.FAILED_PRECONDITION,
                status == JobStatus.CREATED
                        ? "job " + id + " is held; release it first"
                        : "job " + id + " is " + status.wireName() + "; " + step + " needs " + needs);
    }

    public static LonghaulException idOffClock(JobId id, Instant now) {
        String expected = "an id created within " + Limits.CLOCK_SKEW.toHours() + " hours of the store's clock, " + now;
        return new LonghaulException(
                ErrorCode.INVALID_ARGUMENT, List.of(new FieldError("jobId", id.toString(), expected)));
    }

    public static LonghaulException queueFull(String queue, int maxDepth) {
        return new LonghaulException(
                ErrorCode.RESOURCE_EXHAUSTED,
                "queue " + queue + " is full: at most " + maxDepth + " jobs may wait in it");
    }

    public static LonghaulException definitionInUse(DefinitionRef ref) {
        return new LonghaulException(
                ErrorCode.FAILED_PRECONDITION,
                "definition " + ref + " has jobs that are held, waiting or running; cancel them or let them end first");
    }

    public static LonghaulException definitionRunBy(DefinitionRef ref, List<String> workers) {
        return new LonghaulException(
                ErrorCode.FAILED_PRECONDITION,
                "definition " + ref + " is run by active workers; stop them or deploy them without it first: "
                        + String.join(", ", workers));
    }

    public static LonghaulException definitionFull(String definitionKey, int limit) {
        return new LonghaulException(
                ErrorCode.RESOURCE_EXHAUSTED,
                "definition " + definitionKey + " is at its limit: at most " + limit + " of its jobs may run at once");
    }
}
