package dev.longhaul.kubernetes.simulated;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.node.ObjectNode;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Base64;
import java.util.Map;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;

/** The Secrets that a pod mounts, and its termination log, as files of this machine. */
final class Mounts {
    /** The directories and files here, by their paths in the container. */
    private final Map<String, String> paths = new TreeMap<>();

    Mounts(Objects objects, ObjectNode pod, Path terminationLog) throws IOException, InterruptedException {
        paths.put("/dev/termination-log", terminationLog.toString());
        String namespace = pod.at("/metadata/namespace").asText();
        for (JsonNode volume : pod.at("/spec/volumes")) {
            JsonNode secret = volume.path("secret");
            for (JsonNode mount : pod.at("/spec/containers/0/volumeMounts")) {
                if (secret.isObject() && mount.path("name").equals(volume.path("name"))) {
                    Path directory = Files.createTempDirectory("secret");
                    ObjectNode found =
                            secret(objects, namespace, secret.path("secretName").asText());
                    for (JsonNode item : secret.path("items")) {
                        String data = found.path("data")
                                .path(item.path("key").asText())
                                .asText();
                        Files.write(
                                directory.resolve(item.path("path").asText()),
                                Base64.getDecoder().decode(data));
                    }
                    paths.put(mount.path("mountPath").asText(), directory.toString());
                }
            }
        }
    }

    /** Waits for the Secret, as a kubelet does. */
    static ObjectNode secret(Objects objects, String namespace, String name) throws InterruptedException {
        ObjectNode secret = objects.find("Secret", namespace, name);
        while (secret == null) {
            TimeUnit.MILLISECONDS.sleep(5);
            secret = objects.find("Secret", namespace, name);
        }
        return secret;
    }

    /** A text with paths of this machine in place of the container's. */
    String here(String text) {
        String here = text;
        for (Map.Entry<String, String> path : paths.entrySet()) {
            here = here.replace(path.getKey(), path.getValue());
        }
        return here;
    }
}
