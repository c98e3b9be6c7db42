package dev.longhaul.kubernetes.simulated;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** Creates the pod of each Job, keeps the Job's status, and deletes what a deleted Job owned. */
final class JobController implements AutoCloseable {
    private final Objects objects;
    private final Kubelet kubelet;
    private final ExecutorService thread = Executors.newSingleThreadExecutor(work -> {
        var started = new Thread(work, "simulated-controller");
        started.setDaemon(true);
        return started;
    });

    JobController(Objects objects, Kubelet kubelet) {
        this.objects = objects;
        this.kubelet = kubelet;
        objects.listen(change -> {
            if (!thread.isShutdown()) {
                thread.execute(() -> changed(change));
            }
        });
    }

    private void changed(Objects.Change change) {
        ObjectNode object = change.object();
        String namespace = object.at("/metadata/namespace").asText();
        String name = object.at("/metadata/name").asText();
        if (change.kind().equals("Job") && change.type().equals("ADDED")) {
            createPod(namespace, name, object);
        } else if (change.kind().equals("Job") && change.type().equals("DELETED")) {
            objects.list("Pod", namespace).stream()
                    .filter(pod -> owner(pod).equals(name))
                    .forEach(pod -> kubelet.terminate(
                            namespace, pod.at("/metadata/name").asText()));
            objects.delete("Secret", namespace, name);
        } else if (change.kind().equals("Pod")) {
            String phase = object.at("/status/phase").asText();
            boolean gone = change.type().equals("DELETED");
            if (phase.equals("Succeeded")) {
                condition(namespace, owner(object), new Fixtures.Condition("Complete", "CompletionsReached", ""));
            } else if (phase.equals("Failed") || gone) {
                condition(namespace, owner(object), new Fixtures.Condition("Failed", "BackoffLimitExceeded", ""));
            }
        }
    }

    private static String owner(ObjectNode object) {
        return object.at("/metadata/ownerReferences/0/name").asText();
    }

    private void createPod(String namespace, String name, ObjectNode job) {
        JsonNode template = job.at("/spec/template");
        String image = template.at("/spec/containers/0/image").asText();
        Fixtures.Condition end = Fixtures.end(image);
        if (end != null) {
            condition(namespace, name, end);
            return;
        }
        String refusal = Fixtures.refusal(image);
        if (refusal != null) {
            ObjectNode event = Objects.JSON.createObjectNode();
            event.withObject("/metadata").put("generateName", name + ".");
            event.withObject("/involvedObject")
                    .put("kind", "Job")
                    .put("name", name)
                    .put("uid", job.at("/metadata/uid").asText());
            event.put("type", "Warning").put("reason", "FailedCreate").put("message", refusal);
            objects.create("Event", namespace, event);
            return;
        }
        ObjectNode pod = Objects.JSON.createObjectNode().put("kind", "Pod").put("apiVersion", "v1");
        pod.setAll((ObjectNode) template.deepCopy());
        ObjectNode metadata = pod.withObject("/metadata");
        metadata.put("generateName", name + "-");
        metadata.withObject("/labels").put("job-name", name);
        metadata.withArray("/ownerReferences")
                .addObject()
                .put("kind", "Job")
                .put("apiVersion", "batch/v1")
                .put("name", name)
                .put("controller", true)
                .put("uid", job.at("/metadata/uid").asText());
        pod.withObject("/status").put("phase", "Pending");
        objects.create("Pod", namespace, pod);
    }

    private void condition(String namespace, String job, Fixtures.Condition condition) {
        objects.update("Job", namespace, job, object -> {
            if (object.at("/status/conditions/0").isMissingNode()) {
                object.withArray("/status/conditions")
                        .addObject()
                        .put("type", condition.type())
                        .put("status", "True")
                        .put("reason", condition.reason())
                        .put("message", condition.message());
                if (condition.type().equals("Complete")) {
                    object.withObject("/status").put("completionTime", Objects.now());
                }
            }
            return object;
        });
    }

    @Override
    public void close() {
        thread.shutdownNow();
    }
}
