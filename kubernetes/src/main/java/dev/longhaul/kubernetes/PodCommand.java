package dev.longhaul.kubernetes;

import dev.longhaul.Isolation;
import java.util.List;
import java.util.Map;

/**
 * What a pod runs.
 *
 * @param argv the command; empty means that of the image
 * @param variables secret variables, in addition to those of the isolation
 */
public record PodCommand(Isolation.InPod pod, List<String> argv, Map<String, String> variables) {
    public PodCommand {
        argv = List.copyOf(argv);
        variables = Map.copyOf(variables);
    }
}
