package dev.longhaul.kubernetes.simulated;

import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.io.InputStream;
import java.io.UncheckedIOException;
import java.nio.charset.StandardCharsets;
import java.util.Map;

/** Statuses of pods in the form in which a cluster reports them; the last part of an image's name chooses one. */
final class Fixtures {
    private static final Map<String, String> REFUSALS = Map.of(
            "quota",
            "Error creating: pods \"lh-x\" is forbidden: exceeded quota: pods, requested: pods=1, used: pods=1, limited:"
                    + " pods=1",
            "no-account",
            "Error creating: pods \"lh-x-\" is forbidden: error looking up service account jobs/none: serviceaccount"
                    + " \"none\" not found");

    /** Conditions of Jobs whose pods were deleted before a worker could read their end. */
    private static final Map<String, Condition> ENDS = Map.of(
            "pod-collected",
            new Condition("Complete", "CompletionsReached", "Reached expected number of succeeded pods"),
            "failed-collected",
            new Condition("Failed", "BackoffLimitExceeded", "Job has reached the specified backoff limit"),
            "deadline",
            new Condition("Failed", "DeadlineExceeded", "Job was active longer than specified deadline"),
            "disrupted-collected",
            new Condition(
                    "Failed",
                    "PodFailurePolicy",
                    "Pod jobs/lh-x has condition DisruptionTarget matching FailJob rule at index 0"));

    /** A condition of a Job. */
    record Condition(String type, String reason, String message) {}

    private Fixtures() {}

    /** How the Job of that image ends without a pod; null if it gets a pod. */
    static Condition end(String image) {
        return ENDS.get(name(image));
    }

    static String name(String image) {
        return image.substring(image.lastIndexOf('/') + 1);
    }

    /** Why no pod of that image can be created; null if one can. */
    static String refusal(String image) {
        return REFUSALS.get(name(image));
    }

    /** The status in that file; null if there is none. */
    static ObjectNode status(String name) {
        try (InputStream in = Fixtures.class.getResourceAsStream(name + ".json")) {
            return in == null
                    ? null
                    : (ObjectNode) Objects.JSON.readTree(new String(in.readAllBytes(), StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
