package dev.longhaul.cli.deploy;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.ObjectMapper;
import com.fasterxml.jackson.databind.introspect.Annotated;
import com.fasterxml.jackson.databind.introspect.JacksonAnnotationIntrospector;
import com.fasterxml.jackson.dataformat.yaml.YAMLFactory;
import io.fabric8.kubernetes.api.model.HasMetadata;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.Service;
import io.fabric8.kubernetes.api.model.ServiceAccount;
import io.fabric8.kubernetes.api.model.apps.Deployment;
import io.fabric8.kubernetes.api.model.autoscaling.v2.HorizontalPodAutoscaler;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.networking.v1.Ingress;
import io.fabric8.kubernetes.api.model.networking.v1.NetworkPolicy;
import io.fabric8.kubernetes.api.model.policy.v1.PodDisruptionBudget;
import io.fabric8.kubernetes.api.model.rbac.Role;
import io.fabric8.kubernetes.api.model.rbac.RoleBinding;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.stream.Stream;

/**
 * Kubernetes manifests, read with Kubernetes' own types: a field that a type does not have is an error. Custom resources
 * stay trees.
 */
record Manifests(List<HasMetadata> typed, List<JsonNode> custom) {
    private static final Map<String, Class<? extends HasMetadata>> KINDS = Map.of(
            "v1/Service", Service.class,
            "v1/ServiceAccount", ServiceAccount.class,
            "rbac.authorization.k8s.io/v1/Role", Role.class,
            "rbac.authorization.k8s.io/v1/RoleBinding", RoleBinding.class,
            "apps/v1/Deployment", Deployment.class,
            "batch/v1/Job", Job.class,
            "policy/v1/PodDisruptionBudget", PodDisruptionBudget.class,
            "networking.k8s.io/v1/Ingress", Ingress.class,
            "networking.k8s.io/v1/NetworkPolicy", NetworkPolicy.class,
            "autoscaling/v2/HorizontalPodAutoscaler", HorizontalPodAutoscaler.class);

    /** Writes no unknown fields, which the types would otherwise keep. */
    private static final ObjectMapper STRICT = new ObjectMapper()
            .setAnnotationIntrospector(new JacksonAnnotationIntrospector() {
                private static final long serialVersionUID = 1;

                @Override
                public Boolean hasAnyGetter(Annotated annotated) {
                    return false;
                }
            });

    static Manifests read(String text) {
        var typed = new ArrayList<HasMetadata>();
        var custom = new ArrayList<JsonNode>();
        var yaml = new YAMLFactory();
        try (var documents =
                new ObjectMapper(yaml).readerFor(JsonNode.class).<JsonNode>readValues(yaml.createParser(text))) {
            while (documents.hasNext()) {
                JsonNode document = documents.next();
                if (!document.isObject()) {
                    continue;
                }
                String kind = document.get("apiVersion").asText() + "/"
                        + document.get("kind").asText();
                Class<? extends HasMetadata> type = KINDS.get(kind);
                if (type == null) {
                    assertThat(kind).as("a custom resource").matches("(keda\\.sh|monitoring\\.coreos\\.com)/.*");
                    custom.add(document);
                } else {
                    HasMetadata read = new ObjectMapper().convertValue(document, type);
                    requireFields(kind, document, STRICT.valueToTree(read));
                    typed.add(read);
                }
            }
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return new Manifests(typed, custom);
    }

    /** Checks that the type has every field of the file. */
    private static void requireFields(String path, JsonNode file, JsonNode typed) {
        if (file.isObject()) {
            file.properties().forEach(entry -> {
                String field = path + "/" + entry.getKey();
                JsonNode known = typed.get(entry.getKey());
                if (entry.getValue().isEmpty() && entry.getValue().isContainerNode()) {
                    return;
                }
                assertThat(known).as(field).isNotNull();
                requireFields(field, entry.getValue(), known);
            });
        } else if (file.isArray()) {
            for (int i = 0; i < file.size(); i++) {
                requireFields(path + "/" + i, file.get(i), typed.get(i));
            }
        }
    }

    <T extends HasMetadata> List<T> all(Class<T> kind) {
        return typed.stream().filter(kind::isInstance).map(kind::cast).toList();
    }

    <T extends HasMetadata> T named(Class<T> kind, String name) {
        return all(kind).stream()
                .filter(one -> one.getMetadata().getName().equals(name))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no " + kind.getSimpleName() + " " + name));
    }

    List<PodTemplateSpec> pods() {
        return Stream.concat(
                        all(Deployment.class).stream().map(one -> one.getSpec().getTemplate()),
                        all(Job.class).stream().map(one -> one.getSpec().getTemplate()))
                .toList();
    }
}
