package dev.longhaul.kubernetes.job;

import io.fabric8.kubernetes.api.model.ContainerStateTerminated;
import io.fabric8.kubernetes.api.model.ContainerStateWaiting;
import io.fabric8.kubernetes.api.model.ContainerStatus;
import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodCondition;
import io.fabric8.kubernetes.api.model.PodStatus;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobCondition;
import java.util.List;
import java.util.Set;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/** The state of a run's pod, derived from the last reported status. */
public sealed interface PodState {
    /** The pod does not exist yet. */
    record Missing() implements PodState {}

    /**
     * The container does not run yet.
     *
     * @param hopeless whether waiting longer cannot succeed
     */
    record Waiting(String reason, String message, boolean hopeless) implements PodState {}

    record Running() implements PodState {}

    /**
     * The container has ended.
     *
     * @param reason the reason that the kubelet reports: Completed, Error, OOMKilled, StartError
     * @param message what the code wrote to the termination log, or why the container could not start
     */
    record Exited(int code, String reason, String message) implements PodState {}

    /** The cluster ended the pod: eviction, node drain, preemption. */
    record Disrupted(String reason, String message) implements PodState {}

    /** Kubernetes ended the pod because its Job was active for too long. */
    record TimedOut(String message) implements PodState {}

    /** A user or another program deleted the pod or its Job, or the pod ended without a container status. */
    record Gone(String message) implements PodState {}

    /** The condition types of a Job that has ended, or is about to. */
    Set<String> COMPLETE = Set.of("Complete", "SuccessCriteriaMet");

    Set<String> FAILED = Set.of("Failed", "FailureTarget");

    /** Reasons for waiting that never go away, because the kubelet's later attempts fail too. */
    Set<String> HOPELESS = Set.of("InvalidImageName", "ErrImageNeverPull");

    /** Returns the state of the pod. The conditions of its Job tell how a pod ended that no longer exists. */
    static PodState of(@Nullable Job job, @Nullable Pod pod, boolean jobDeleted, boolean podDeleted) {
        PodState state = of(pod, pod == null ? jobDeleted : podDeleted);
        PodState ended = job != null && state instanceof Gone ? ofEnded(job) : null;
        // That the pod failed is known; why it did, its own last state tells better.
        return ended == null || ended instanceof Gone ? state : ended;
    }

    /**
     * Returns the end of a pod by the conditions of its Job: its exit code is unknown unless it is 0. Returns null if
     * the Job has not ended.
     */
    static @Nullable PodState ofEnded(Job job) {
        if (condition(job, COMPLETE) != null) {
            return new Exited(0, "Completed", "");
        }
        JobCondition failed = condition(job, FAILED);
        if (failed == null) {
            return null;
        }
        String message = text(failed.getMessage());
        return switch (text(failed.getReason())) {
            case "DeadlineExceeded" -> new TimedOut(message);
            case "PodFailurePolicy" -> new Disrupted(text(failed.getReason()), message);
            default -> new Gone("its Job failed and the pod is gone: " + text(failed.getReason()) + " " + message);
        };
    }

    private static @Nullable JobCondition condition(Job job, Set<String> types) {
        List<JobCondition> all =
                job.getStatus() == null ? null : job.getStatus().getConditions();
        return Stream.ofNullable(all)
                .flatMap(List::stream)
                .filter(one -> types.contains(one.getType()) && "True".equals(one.getStatus()))
                .findFirst()
                .orElse(null);
    }

    /**
     * Returns the state of the pod.
     *
     * @param pod the last reported pod; null if none was reported
     * @param deleted whether the pod no longer exists
     */
    static PodState of(@Nullable Pod pod, boolean deleted) {
        if (pod == null) {
            return deleted ? new Gone("the Job was deleted") : new Missing();
        }
        PodStatus status = pod.getStatus();
        ContainerStatus container = container(status);
        ContainerStateTerminated end = container == null || container.getState() == null
                ? null
                : container.getState().getTerminated();
        boolean over = end != null || deleted || isPhase(status, "Failed") || isPhase(status, "Succeeded");
        if (end != null && code(end) == 0) {
            return exited(end);
        }
        PodCondition disruption = condition(status, "DisruptionTarget", "True");
        if (over && disruption != null) {
            return new Disrupted(text(disruption.getReason()), text(disruption.getMessage()));
        }
        if (over && (deleted || pod.getMetadata().getDeletionTimestamp() != null)) {
            return new Gone("the pod was deleted");
        }
        if (end != null) {
            return exited(end);
        }
        if (over) {
            return new Gone("the pod failed: " + text(status.getReason()) + " " + text(status.getMessage()));
        }
        return notEnded(status, container);
    }

    private static PodState notEnded(@Nullable PodStatus status, @Nullable ContainerStatus container) {
        if (container != null && container.getState() != null) {
            if (container.getState().getRunning() != null) {
                return new Running();
            }
            ContainerStateWaiting waiting = container.getState().getWaiting();
            if (waiting != null) {
                String reason = text(waiting.getReason());
                return new Waiting(reason, text(waiting.getMessage()), HOPELESS.contains(reason));
            }
        }
        PodCondition unscheduled = condition(status, "PodScheduled", "False");
        return unscheduled == null
                ? new Waiting("Pending", "", false)
                : new Waiting(text(unscheduled.getReason()), text(unscheduled.getMessage()), false);
    }

    private static Exited exited(ContainerStateTerminated end) {
        return new Exited(code(end), text(end.getReason()), text(end.getMessage()));
    }

    private static int code(ContainerStateTerminated end) {
        return end.getExitCode() == null ? 0 : end.getExitCode();
    }

    /** Returns the status of the job's container; null if none was reported. */
    static @Nullable ContainerStatus container(@Nullable PodStatus status) {
        List<ContainerStatus> all = status == null ? null : status.getContainerStatuses();
        return all == null
                ? null
                : all.stream()
                        .filter(one -> PodNames.CONTAINER.equals(one.getName()))
                        .findFirst()
                        .orElse(null);
    }

    /** Returns how often containers of the pod were restarted. */
    static int restarts(@Nullable PodStatus status) {
        return status == null
                ? 0
                : Stream.of(status.getContainerStatuses(), status.getInitContainerStatuses())
                        .flatMap(List::stream)
                        .mapToInt(one -> one.getRestartCount() == null ? 0 : one.getRestartCount())
                        .sum();
    }

    private static @Nullable PodCondition condition(@Nullable PodStatus status, String type, String value) {
        List<PodCondition> all = status == null ? null : status.getConditions();
        return Stream.ofNullable(all)
                .flatMap(List::stream)
                .filter(one -> type.equals(one.getType()) && value.equals(one.getStatus()))
                .findFirst()
                .orElse(null);
    }

    private static boolean isPhase(@Nullable PodStatus status, String phase) {
        return status != null && phase.equals(status.getPhase());
    }

    private static String text(@Nullable String text) {
        return text == null ? "" : text;
    }
}
