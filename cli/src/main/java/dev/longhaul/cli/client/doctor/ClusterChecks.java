package dev.longhaul.cli.client.doctor;

import dev.longhaul.kubernetes.cluster.Cluster;
import dev.longhaul.kubernetes.cluster.Right;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;

/** Checks whether a worker could run pods: whether the API server responds and grants each right. */
final class ClusterChecks {
    private static final String SUBJECT = "kubernetes";

    private ClusterChecks() {}

    /** @param namespace the namespace of the pods; null means the namespace of the cluster's configuration */
    static void run(Findings findings, String config, @Nullable String namespace) {
        try (Cluster cluster = Cluster.open(config, "doctor")) {
            String in = namespace == null ? cluster.defaultNamespace() : namespace;
            List<String> missing = new ArrayList<>();
            for (Right right : Right.ALL) {
                if (!cluster.may(in, right)) {
                    missing.add(right.toString());
                }
            }
            findings.expect(
                    missing.isEmpty(),
                    SUBJECT,
                    missing.isEmpty()
                            ? "all " + Right.ALL.size() + " rights in namespace " + in
                            : "no right in namespace " + in + " to " + String.join(", ", missing),
                    "bind the role in kubernetes/role.yaml to the worker's account");
            if (!cluster.may(in, Right.FORCE)) {
                findings.skip(SUBJECT, "no right to delete pods; only --pod-unreachable force needs it");
            }
        } catch (RuntimeException e) {
            findings.fail(SUBJECT, reason(e), "check --kubernetes, and that the API server can be reached");
        }
    }

    /** The innermost cause: the outer message of a failed connection says only that an error has occurred. */
    private static String reason(Throwable failure) {
        Throwable inner = failure;
        while (inner.getCause() != null) {
            inner = inner.getCause();
        }
        return inner == failure ? String.valueOf(failure.getMessage()) : failure.getMessage() + " " + inner;
    }
}
