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

    private Fixtures() {}

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
