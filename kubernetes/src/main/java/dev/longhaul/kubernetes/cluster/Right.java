package dev.longhaul.kubernetes.cluster;

import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReview;
import io.fabric8.kubernetes.api.model.authorization.v1.SelfSubjectAccessReviewBuilder;
import io.fabric8.kubernetes.client.KubernetesClient;
import java.util.List;
import java.util.stream.Stream;

/** A right that a worker needs to run pods; {@code kubernetes/role.yaml} grants all of them. */
public record Right(String group, String resource, String subresource, String verb) {
    /** All rights that a worker needs. */
    public static final List<Right> ALL = Stream.of(
                    of("batch", "jobs", "create", "get", "list", "watch", "patch", "delete"),
                    of("", "pods", "get", "list", "watch"),
                    Stream.of(new Right("", "pods", "log", "get")),
                    of("", "events", "list"),
                    of("", "secrets", "create", "get"))
            .flatMap(rights -> rights)
            .toList();

    /** The right to delete pods of unreachable nodes by force. */
    public static final Right FORCE = new Right("", "pods", "", "delete");

    private static Stream<Right> of(String group, String resource, String... verbs) {
        return Stream.of(verbs).map(verb -> new Right(group, resource, "", verb));
    }

    static boolean review(KubernetesClient client, String namespace, Right right) {
        SelfSubjectAccessReview review = new SelfSubjectAccessReviewBuilder()
                .withNewSpec()
                .withNewResourceAttributes()
                .withNamespace(namespace)
                .withGroup(right.group)
                .withResource(right.resource)
                .withSubresource(right.subresource)
                .withVerb(right.verb)
                .endResourceAttributes()
                .endSpec()
                .build();
        SelfSubjectAccessReview answer =
                client.authorization().v1().selfSubjectAccessReview().create(review);
        return answer.getStatus() != null
                && Boolean.TRUE.equals(answer.getStatus().getAllowed());
    }

    @Override
    public String toString() {
        return verb + " " + resource + (subresource.isEmpty() ? "" : "/" + subresource);
    }
}
