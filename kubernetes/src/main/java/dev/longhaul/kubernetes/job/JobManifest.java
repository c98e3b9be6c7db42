package dev.longhaul.kubernetes.job;

import dev.longhaul.Isolation;
import dev.longhaul.engine.task.TaskFile;
import dev.longhaul.event.Payload;
import dev.longhaul.job.Claim;
import dev.longhaul.job.Job;
import io.fabric8.kubernetes.api.model.Container;
import io.fabric8.kubernetes.api.model.ContainerBuilder;
import io.fabric8.kubernetes.api.model.EnvVar;
import io.fabric8.kubernetes.api.model.EnvVarBuilder;
import io.fabric8.kubernetes.api.model.ObjectMeta;
import io.fabric8.kubernetes.api.model.ObjectMetaBuilder;
import io.fabric8.kubernetes.api.model.PodSpec;
import io.fabric8.kubernetes.api.model.PodSpecBuilder;
import io.fabric8.kubernetes.api.model.PodTemplateSpec;
import io.fabric8.kubernetes.api.model.PodTemplateSpecBuilder;
import io.fabric8.kubernetes.api.model.Quantity;
import io.fabric8.kubernetes.api.model.ResourceRequirementsBuilder;
import io.fabric8.kubernetes.api.model.Secret;
import io.fabric8.kubernetes.api.model.SecretBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Base64;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * The Job and the Secret of a run. The Secret contains the claim's key and all variables, because users who may read
 * Jobs may not be allowed to read params.
 *
 * @param cluster the value of the label that all Jobs of this database have
 * @param argv the command of the container; if empty, the image's own command runs
 * @param grace time between TERM and KILL
 * @param task the file with the run if the pod executes it itself; otherwise null
 */
public record JobManifest(
        String cluster,
        Claim claim,
        Job job,
        String worker,
        Isolation.InPod pod,
        List<String> argv,
        Map<String, String> variables,
        Duration grace,
        @Nullable String task) {
    /** The key of the Secret's entry that contains the claim's key. */
    private static final String CLAIM_KEY = "longhaul.claim-key";

    private static final String VARIABLE = "env.";
    private static final String TASK_FILE = "task.json";
    private static final String TASK_VOLUME = "longhaul-task";
    private static final String TASK_PATH = "/run/longhaul";
    private static final String RESULT_PATH = "/dev/termination-log";
    private static final int SAFETY_SECONDS = 60;
    private static final int KEPT_SECONDS = 3600;

    public String name() {
        return PodNames.of(claim);
    }

    /** Returns the Job. Its pod is merged into the template; null means an empty template. */
    public io.fabric8.kubernetes.api.model.batch.v1.Job toJob(@Nullable PodTemplateSpec template) {
        long deadline = job.spec().timeout().plus(grace).toSeconds() + SAFETY_SECONDS;
        return new JobBuilder()
                .withMetadata(metadata(null))
                .withNewSpec()
                .withBackoffLimit(0)
                .withPodReplacementPolicy("Failed")
                .withActiveDeadlineSeconds(deadline)
                .withTtlSecondsAfterFinished(KEPT_SECONDS)
                .withNewPodFailurePolicy()
                .addNewRule()
                .withAction("FailJob")
                .addNewOnPodCondition()
                .withType("DisruptionTarget")
                .withStatus("True")
                .endOnPodCondition()
                .endRule()
                .endPodFailurePolicy()
                .withTemplate(podTemplate(template))
                .endSpec()
                .build();
    }

    private ObjectMeta metadata(@Nullable ObjectMeta base) {
        Map<String, String> labels =
                new TreeMap<>(base == null || base.getLabels() == null ? Map.of() : base.getLabels());
        labels.put(PodNames.CLUSTER, cluster);
        labels.put(PodNames.JOB, claim.jobId().toString());
        labels.put(PodNames.RUN, Integer.toString(claim.run()));
        labels.put(PodNames.DEFINITION, PodNames.label(job.spec().definition().key()));
        labels.put(PodNames.QUEUE, PodNames.label(job.spec().queue()));
        Map<String, String> annotations =
                new TreeMap<>(base == null || base.getAnnotations() == null ? Map.of() : base.getAnnotations());
        if (base == null) {
            annotations.put(PodNames.FOLLOWER, worker);
            annotations.put(PodNames.FOLLOWERS, "1");
            annotations.put(PodNames.DEFINITION_REF, job.spec().definition().toString());
        }
        var metadata = new ObjectMetaBuilder().withLabels(labels).withAnnotations(annotations);
        return base == null ? metadata.withName(name()).build() : metadata.build();
    }

    private PodTemplateSpec podTemplate(@Nullable PodTemplateSpec template) {
        PodTemplateSpec base = template == null ? new PodTemplateSpec() : template;
        ObjectMeta baseMetadata = base.getMetadata() == null ? new ObjectMeta() : base.getMetadata();
        PodSpec spec = base.getSpec() == null ? new PodSpec() : base.getSpec();
        var merged = new PodSpecBuilder(spec)
                .withRestartPolicy("Never")
                .withTerminationGracePeriodSeconds(grace.toSeconds())
                .withContainers(containers(spec.getContainers()));
        if (task != null) {
            merged.addNewVolume()
                    .withName(TASK_VOLUME)
                    .withNewSecret()
                    .withSecretName(name())
                    .addNewItem(TASK_FILE, null, TASK_FILE)
                    .endSecret()
                    .endVolume();
        }
        if (pod.serviceAccount() != null) {
            merged.withServiceAccountName(pod.serviceAccount());
        }
        if (spec.getAutomountServiceAccountToken() == null) {
            merged.withAutomountServiceAccountToken(pod.serviceAccount() != null);
        }
        if (spec.getSecurityContext() == null) {
            merged.withNewSecurityContext()
                    .withRunAsNonRoot(true)
                    .withNewSeccompProfile()
                    .withType("RuntimeDefault")
                    .endSeccompProfile()
                    .endSecurityContext();
        }
        return new PodTemplateSpecBuilder()
                .withMetadata(metadata(baseMetadata))
                .withSpec(merged.build())
                .build();
    }

    /**
     * Returns the template's containers, with image, command and variables set in the container named job, or in a new
     * first container if none has that name.
     */
    private List<Container> containers(@Nullable List<Container> given) {
        List<Container> all = new ArrayList<>(given == null ? List.of() : given);
        int index = 0;
        while (index < all.size() && !PodNames.CONTAINER.equals(all.get(index).getName())) {
            index++;
        }
        if (index == all.size()) {
            index = 0;
            all.add(0, new ContainerBuilder().withName(PodNames.CONTAINER).build());
        }
        all.set(index, container(all.get(index)));
        return all;
    }

    private Container container(Container base) {
        var environment = new ArrayList<>(base.getEnv() == null ? List.<EnvVar>of() : base.getEnv());
        variables.keySet().stream().sorted().forEach(name -> {
            environment.removeIf(variable -> variable.getName().equals(name));
            environment.add(new EnvVarBuilder()
                    .withName(name)
                    .withNewValueFrom()
                    .withNewSecretKeyRef(VARIABLE + name, name(), false)
                    .endValueFrom()
                    .build());
        });
        if (task != null) {
            environment.addAll(taskVariables());
        }
        var container = new ContainerBuilder(base)
                .withImage(pod.image())
                .withEnv(environment)
                .withTerminationMessagePath(RESULT_PATH);
        if (task != null) {
            container
                    .addNewVolumeMount()
                    .withName(TASK_VOLUME)
                    .withMountPath(TASK_PATH)
                    .withReadOnly(true)
                    .endVolumeMount();
        }
        if (!argv.isEmpty()) {
            container.withCommand(argv);
        }
        Map<String, Quantity> limits = limits();
        if (!limits.isEmpty()) {
            var resources = base.getResources() == null
                    ? new ResourceRequirementsBuilder()
                    : new ResourceRequirementsBuilder(base.getResources());
            container.withResources(
                    resources.addToLimits(limits).addToRequests(limits).build());
        }
        if (base.getSecurityContext() == null) {
            container
                    .withNewSecurityContext()
                    .withAllowPrivilegeEscalation(false)
                    .withNewCapabilities()
                    .withDrop("ALL")
                    .endCapabilities()
                    .endSecurityContext();
        }
        return container.build();
    }

    /**
     * Returns variables that describe the start of the pod. Kubernetes replaces the names of pod and node in the last
     * one.
     */
    private List<EnvVar> taskVariables() {
        String start =
                "{\"pod\":\"$(LONGHAUL_POD)\",\"namespace\":\"$(LONGHAUL_NAMESPACE)\",\"node\":\"$(LONGHAUL_NODE)\","
                        + "\"image\":" + Payload.quoted(pod.image()) + "}";
        return List.of(
                field("LONGHAUL_POD", "metadata.name"),
                field("LONGHAUL_NAMESPACE", "metadata.namespace"),
                field("LONGHAUL_NODE", "spec.nodeName"),
                new EnvVar(TaskFile.VARIABLE, TASK_PATH + "/" + TASK_FILE, null),
                new EnvVar(TaskFile.STORED_VARIABLE, RESULT_PATH, null),
                new EnvVar(TaskFile.START_VARIABLE, start, null));
    }

    private static EnvVar field(String variable, String path) {
        return new EnvVarBuilder()
                .withName(variable)
                .withNewValueFrom()
                .withNewFieldRef("v1", path)
                .endValueFrom()
                .build();
    }

    private Map<String, Quantity> limits() {
        Map<String, Quantity> limits = new HashMap<>();
        Long memory = pod.memoryBytes();
        if (memory != null) {
            limits.put("memory", new Quantity(memory.toString()));
        }
        Double cpus = pod.cpus();
        if (cpus != null) {
            limits.put("cpu", new Quantity(Math.round(cpus * 1000) + "m"));
        }
        return limits;
    }

    /** Returns the Secret, which Kubernetes deletes together with the Job. */
    public Secret toSecret(io.fabric8.kubernetes.api.model.batch.v1.Job owner) {
        Map<String, String> data = new TreeMap<>();
        data.put(CLAIM_KEY, base64(claim.key().toString()));
        if (task != null) {
            data.put(TASK_FILE, base64(task));
        }
        variables.forEach((name, value) -> data.put(VARIABLE + name, base64(value)));
        return new SecretBuilder()
                .withNewMetadata()
                .withName(name())
                .addToLabels(PodNames.CLUSTER, cluster)
                .addNewOwnerReference()
                .withApiVersion("batch/v1")
                .withKind("Job")
                .withName(name())
                .withUid(owner.getMetadata().getUid())
                .endOwnerReference()
                .endMetadata()
                .withType("Opaque")
                .withData(data)
                .build();
    }

    private static String base64(String text) {
        return Base64.getEncoder().encodeToString(text.getBytes(StandardCharsets.UTF_8));
    }

    /** Returns the claim's key in a Secret of {@link #toSecret}; null if it has none. */
    public static @Nullable UUID claimKey(Secret secret) {
        String key = secret.getData() == null ? null : secret.getData().get(CLAIM_KEY);
        try {
            return key == null
                    ? null
                    : UUID.fromString(new String(Base64.getDecoder().decode(key), StandardCharsets.UTF_8));
        } catch (IllegalArgumentException e) {
            return null;
        }
    }
}
