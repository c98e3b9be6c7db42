package dev.longhaul.process.supervise;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * The environment of a job's process: some variables of the worker, the run's directory, and the variables of the job.
 */
public final class Environment {
    /** Variables that are copied from the worker's environment if set. */
    static final List<String> PASSED_ON = List.of("PATH", "LANG", "LC_ALL", "TZ");

    private static final String USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private Environment() {}

    /** Returns the environment of a launch with the given working directory. */
    static Map<String, String> of(Launch launch, Path directory) {
        var variables = new TreeMap<String, String>();
        for (String name : PASSED_ON) {
            String value = System.getenv(name);
            if (value != null) {
                variables.put(name, value);
            }
        }
        variables.put("PATH", path());
        variables.put("HOME", directory.toString());
        variables.put("TMPDIR", directory.toString());
        variables.put("PWD", launch.directory() == null ? directory.toString() : launch.directory());
        variables.putAll(launch.environment());
        return variables;
    }

    public static String path() {
        String path = System.getenv("PATH");
        return path == null || path.isBlank() ? USUAL_PATH : path;
    }
}
