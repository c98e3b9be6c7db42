package dev.longhaul.client;

import dev.longhaul.event.NewEvent;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Progress;
import dev.longhaul.job.RunAt;
import dev.longhaul.rpc.v1.CompleteJobRequest;
import dev.longhaul.rpc.v1.DequeueJobResponse;
import dev.longhaul.rpc.v1.EventType;
import dev.longhaul.rpc.v1.UpdateJobRequest;
import dev.longhaul.work.RunUpdate;
import dev.longhaul.work.Transition;
import java.time.Duration;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** Converts reports of a worker to protobuf. */
final class Outgoing {
    private Outgoing() {}

    static UpdateJobRequest update(Tasks.Task task, RunUpdate update) {
        var request = UpdateJobRequest.newBuilder()
                .setTaskToken(task.token())
                .setQueue(task.job().spec().queue());
        Progress progress = update.progress();
        if (progress != null) {
            request.getProgressBuilder().setPercent(progress.percent()).setMessage(text(progress.message()));
        }
        update.steps()
                .forEach(step -> request.addStepsBuilder().setName(step.name()).setResult(step.result()));
        return request.build();
    }

    static dev.longhaul.rpc.v1.NewEvent event(NewEvent event, Instant at) {
        return dev.longhaul.rpc.v1.NewEvent.newBuilder()
                .setSequence(event.sequence())
                .setType(EventType.valueOf("EVENT_TYPE_" + event.type().name()))
                .setTime(WireTime.of(at))
                .setPayload(text(event.payload()))
                .build();
    }

    static CompleteJobRequest end(String token, Transition transition) {
        var request = CompleteJobRequest.newBuilder()
                .setTaskToken(token)
                .setJobId(transition.claim().jobId().toString());
        if (transition instanceof Transition.Succeed succeed) {
            request.getSucceededBuilder().setResult(succeed.result());
        } else if (transition instanceof Transition.Retry retry) {
            failed(request, retry.failure()).setRetryable(true).setRetryAfter(WireTime.of(delay(retry.when())));
        } else if (transition instanceof Transition.Fail fail) {
            failed(request, fail.failure());
        } else if (transition instanceof Transition.Crashed crashed) {
            failed(request, crashed.failure()).setCrashed(true);
        } else if (transition instanceof Transition.Snooze snooze) {
            request.getSnoozedBuilder().setDelay(WireTime.of(delay(snooze.when())));
            Failure reason = snooze.reason();
            if (reason != null) {
                request.getSnoozedBuilder().setParamsUnreadable(reason.message());
            }
        } else if (transition instanceof Transition.GiveBack) {
            request.getReleasedBuilder();
        } else if (transition instanceof Transition.Cancelled) {
            request.getCancelledBuilder();
        }
        return request.build();
    }

    /** Returns a request that snoozes the job of the task for the delay; the attempt is not spent. */
    static CompleteJobRequest postponed(DequeueJobResponse task, Duration delay) {
        var request = CompleteJobRequest.newBuilder()
                .setTaskToken(task.getTaskToken())
                .setJobId(task.getJobId());
        request.getSnoozedBuilder().setDelay(WireTime.of(delay));
        return request.build();
    }

    private static CompleteJobRequest.Failed.Builder failed(CompleteJobRequest.Builder request, Failure failure) {
        return request.getFailedBuilder()
                .setCode(failure.code())
                .setMessage(failure.message())
                .setType(text(failure.type()))
                .setStack(text(failure.stack()));
    }

    private static Duration delay(RunAt when) {
        Duration after = when.after();
        Instant at = when.at();
        if (after != null) {
            return after;
        }
        Duration until = at == null ? Duration.ZERO : Duration.between(Instant.now(), at);
        return until.isNegative() ? Duration.ZERO : until;
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }
}
