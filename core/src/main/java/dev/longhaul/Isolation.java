package dev.longhaul;

import dev.longhaul.error.Problems;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the code of a definition runs: the name of an executor, and that executor's settings. A worker has the executors {@code thread}
 * and {@code process}; an implementation of this interface names another one, which the worker must have registered.
 */
public interface Isolation {
    /** The executor of {@link #thread()}. */
    String THREAD = "thread";

    /** The executor of {@link #process()}. */
    String PROCESS = "process";

    /** The name of the executor that runs the code. */
    String executor();

    /** In a thread of the worker's own JVM: cheap, and as safe as the code is. */
    static Isolation thread() {
        return new InThread();
    }

    /** In a process of its own, one per run, that harms nobody else and can be killed. */
    static InProcess process() {
        return new InProcess(null, null, null, Map.of());
    }

    /** In a thread of the worker's. */
    record InThread() implements Isolation {
        @Override
        public String executor() {
            return THREAD;
        }
    }

    /**
     * In a process of its own. Null means no limit.
     *
     * @param memoryBytes what it may have in RAM, together with all processes that it starts
     * @param cpus how many processors' time they may use together
     * @param processes how many processes and threads there may be at once
     * @param environment variables that it has besides the few that every job's process has
     */
    record InProcess(
            @Nullable Long memoryBytes,
            @Nullable Double cpus,
            @Nullable Integer processes,
            Map<String, String> environment)
            implements Isolation {
        private static final Pattern SIZE = Pattern.compile("([1-9][0-9]{0,8})([kmg])");
        private static final long LEAST_MEMORY = 1 << 20;

        public InProcess {
            environment = Map.copyOf(environment);
            new Problems()
                    .require(memoryBytes == null || memoryBytes >= LEAST_MEMORY, "memory", memoryBytes, ">= 1m")
                    .require(cpus == null || cpus >= 0.01, "cpu", cpus, ">= 0.01")
                    .require(processes == null || processes >= 1, "processes", processes, ">= 1")
                    .throwIfAny();
        }

        @Override
        public String executor() {
            return PROCESS;
        }

        /** The most memory that the run may have, such as {@code 256m} or {@code 2g}; one that takes more is killed. */
        public InProcess memory(String size) {
            Matcher parts = SIZE.matcher(size);
            new Problems()
                    .require(parts.matches(), "memory", size, "a number and k, m or g, such as 256m")
                    .throwIfAny();
            int shift = 10 * (1 + "kmg".indexOf(parts.group(2)));
            return new InProcess(Long.parseLong(parts.group(1)) << shift, cpus, processes, environment);
        }

        /** The most processor time that the run may use: 0.5 is half of one processor. */
        public InProcess cpu(double cpus) {
            return new InProcess(memoryBytes, cpus, processes, environment);
        }

        /** The most processes that the run may have at once, threads included. */
        public InProcess processes(int processes) {
            return new InProcess(memoryBytes, cpus, processes, environment);
        }

        /** Gives the process a variable. */
        public InProcess environment(String name, String value) {
            var more = new TreeMap<>(environment);
            more.put(name, value);
            return new InProcess(memoryBytes, cpus, processes, more);
        }
    }
}
