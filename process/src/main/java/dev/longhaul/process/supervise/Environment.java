package dev.longhaul.process.supervise;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/** The variables that a job's process has: a few of the worker's, its directory, and what the job was given. Nothing else. */
public final class Environment {
    /** Passed on from the worker, where it has them. */
    static final List<String> PASSED_ON = List.of("PATH", "LANG", "LC_ALL", "TZ");

    private static final String USUAL_PATH = "/usr/local/sbin:/usr/local/bin:/usr/sbin:/usr/bin:/sbin:/bin";

    private Environment() {}

    /** What a process that is launched has, whose own directory this is. */
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
