package dev.longhaul.kubernetes;

import dev.longhaul.error.Problems;
import java.nio.file.Path;
import java.time.Duration;
import org.jspecify.annotations.Nullable;

/**
 * Settings of pods.
 *
 * @param cluster distinguishes the pods of several databases in one namespace: workers take over only pods of their own
 * @param namespace the namespace of pods whose definitions name none
 * @param template a pod template (YAML) that the container is merged into; null means an empty one
 * @param startTimeout how long a pod may take until its container runs
 * @param forceUnreachable whether the pod of an unreachable node is deleted by force, although its code may still run
 * there
 * @param cancelGrace time between TERM and KILL
 * @param unreachableAfter how long after its grace period a pod that does not end counts as on an unreachable node
 * @param keep how long a Job is kept after its outcome is stored
 * @param handlers settings for pods of handlers in Java; null if such handlers are not supported
 */
public record PodSettings(
        String cluster,
        String namespace,
        @Nullable Path template,
        Duration startTimeout,
        boolean forceUnreachable,
        Duration cancelGrace,
        Duration keep,
        Duration unreachableAfter,
        @Nullable HandlerPods handlers) {
    public PodSettings {
        new Problems()
                .require(cluster.matches("[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?"), "cluster", cluster, "a label value")
                .require(!startTimeout.isNegative() && !startTimeout.isZero(), "startTimeout", startTimeout, "> 0")
                .require(!cancelGrace.isNegative(), "cancelGrace", cancelGrace, ">= 0")
                .throwIfAny();
    }

    /**
     * Returns the default settings: pods have 10 minutes to start and 30 s of grace, and pods on unreachable nodes are
     * not deleted by force.
     */
    public static PodSettings of(String cluster, String namespace) {
        return new PodSettings(
                cluster,
                namespace,
                null,
                Duration.ofMinutes(10),
                false,
                Duration.ofSeconds(30),
                Duration.ofMinutes(1),
                Duration.ofMinutes(1),
                null);
    }

    public PodSettings withTemplate(@Nullable Path template) {
        return new PodSettings(
                cluster,
                namespace,
                template,
                startTimeout,
                forceUnreachable,
                cancelGrace,
                keep,
                unreachableAfter,
                handlers);
    }

    public PodSettings withStartTimeout(Duration startTimeout) {
        return new PodSettings(
                cluster,
                namespace,
                template,
                startTimeout,
                forceUnreachable,
                cancelGrace,
                keep,
                unreachableAfter,
                handlers);
    }

    public PodSettings withForceUnreachable(boolean forceUnreachable) {
        return new PodSettings(
                cluster,
                namespace,
                template,
                startTimeout,
                forceUnreachable,
                cancelGrace,
                keep,
                unreachableAfter,
                handlers);
    }

    public PodSettings withCancelGrace(Duration cancelGrace) {
        return new PodSettings(
                cluster,
                namespace,
                template,
                startTimeout,
                forceUnreachable,
                cancelGrace,
                keep,
                unreachableAfter,
                handlers);
    }

    public PodSettings withKeep(Duration keep) {
        return new PodSettings(
                cluster,
                namespace,
                template,
                startTimeout,
                forceUnreachable,
                cancelGrace,
                keep,
                unreachableAfter,
                handlers);
    }

    public PodSettings withUnreachableAfter(Duration unreachableAfter) {
        return new PodSettings(
                cluster,
                namespace,
                template,
                startTimeout,
                forceUnreachable,
                cancelGrace,
                keep,
                unreachableAfter,
                handlers);
    }

    public PodSettings withHandlers(@Nullable HandlerPods handlers) {
        return new PodSettings(
                cluster,
                namespace,
                template,
                startTimeout,
                forceUnreachable,
                cancelGrace,
                keep,
                unreachableAfter,
                handlers);
    }
}
