package dev.longhaul;

import dev.longhaul.error.Problems;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the code of a definition runs: the name of an executor, and that executor's settings. A worker has the
 * executors {@code thread} and {@code process}; an implementation of this interface names another one, which the
 * worker must have registered.
 */
public interface Isolation {
    /** The executor of {@link #thread()}. */
    String THREAD = "thread";

    /** The executor of {@link #process()}. */
    String PROCESS = "process";

    /** The name of the executor that runs the code. */
    String executor();

    /** In a thread of the worker's JVM: cheap, but not protected from other jobs in the JVM. */
    static Isolation thread() {
        return new InThread();
    }

    /** In a separate process per run, which cannot harm other jobs and can be killed. */
    static InProcess process() {
        return new InProcess(null, null, null, Map.of());
    }

    /** In a thread of the worker. */
    record InThread() implements Isolation {
        @Override
        public String executor() {
            return THREAD;
        }
    }

    /**
     * In a separate process. Null means no limit.
     *
     * @param memoryBytes RAM limit of the process and all processes that it starts
     * @param cpus processors' time that they may use together
     * @param processes how many processes and threads may exist at once
     * @param environment variables in addition to the few that the process of every job has
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

        /** Memory limit of the run, such as {@code 256m} or {@code 2g}; a run that exceeds it is killed. */
        public InProcess memory(String size) {
            Matcher parts = SIZE.matcher(size);
            new Problems()
                    .require(parts.matches(), "memory", size, "a number and k, m or g, such as 256m")
                    .throwIfAny();
            int shift = 10 * (1 + "kmg".indexOf(parts.group(2)));
            return new InProcess(Long.parseLong(parts.group(1)) << shift, cpus, processes, environment);
        }

        /** CPU limit of the run: 0.5 is half of one processor. */
        public InProcess cpu(double cpus) {
            return new InProcess(memoryBytes, cpus, processes, environment);
        }

        /** The most processes that the run may have at once, threads included. */
        public InProcess processes(int processes) {
            return new InProcess(memoryBytes, cpus, processes, environment);
        }

        /** Sets an environment variable of the process. */
        public InProcess environment(String name, String value) {
            var more = new TreeMap<>(environment);
            more.put(name, value);
            return new InProcess(memoryBytes, cpus, processes, more);
        }
    }
}
