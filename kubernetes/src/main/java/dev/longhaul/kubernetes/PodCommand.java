package dev.longhaul.kubernetes;

import dev.longhaul.Isolation;
import java.util.List;
import java.util.Map;

/**
 * The command of a pod and its environment.
 *
 * @param argv the command; if empty, the image's own command runs
 * @param variables secret environment variables, added to the variables of {@code pod}
 * @param task whether the pod executes the run itself, because the job has a handler in Java
 */
public record PodCommand(Isolation.InPod pod, List<String> argv, Map<String, String> variables, boolean task) {
    public PodCommand {
        argv = List.copyOf(argv);
        variables = Map.copyOf(variables);
    }

    public PodCommand(Isolation.InPod pod, List<String> argv, Map<String, String> variables) {
        this(pod, argv, variables, false);
    }
}
