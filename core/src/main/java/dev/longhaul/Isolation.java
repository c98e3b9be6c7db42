package dev.longhaul;

import dev.longhaul.error.Problems;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the code of a definition runs: the name of an executor, and that executor's settings. A worker has the
 * executors {@code thread} and {@code process}, and {@code kubernetes} with the module of that name; an implementation
 * of this interface names another one, which the worker must have registered.
 */
public interface Isolation {
    /** The executor of {@link #thread()}. */
    String THREAD = "thread";

    /** The executor of {@link #process()}. */
    String PROCESS = "process";

    /** The executor of {@link #pod}. */
    String KUBERNETES = "kubernetes";

    /** A memory size as text: a number and a unit, such as {@code 256m}. */
    Pattern SIZE = Pattern.compile("([1-9][0-9]{0,8})([kmg])");

    /** The smallest memory limit in bytes. */
    long LEAST_MEMORY = 1 << 20;

    /** The name of the executor that runs the code. */
    String executor();

    /** Runs the code in a thread of the worker's JVM: cheap, but not protected from other jobs in the JVM. */
    static Isolation thread() {
        return new InThread();
    }

    /** Runs the code in a separate process per run, which cannot harm other jobs and can be killed. */
    static InProcess process() {
        return new InProcess(null, null, null, Map.of());
    }

    /** Runs the code in a Kubernetes pod per run. The pod continues when its worker ends. */
    static InPod pod(String image) {
        return new InPod(image, null, null, null, null, Map.of());
    }

    /** Converts a size such as {@code 256m} to bytes. */
    private static long bytes(String size) {
        Matcher parts = SIZE.matcher(size);
        new Problems()
                .require(parts.matches(), "memory", size, "a number and k, m or g, such as 256m")
                .throwIfAny();
        int shift = 10 * (1 + "kmg".indexOf(parts.group(2)));
        return Long.parseLong(parts.group(1)) << shift;
    }

    /** Runs the code in a thread of the worker. */
    record InThread() implements Isolation {
        @Override
        public String executor() {
            return THREAD;
        }
    }

    /**
     * Runs the code in a separate process. A limit that is null does not apply.
     *
     * @param memoryBytes RAM limit of the process and all processes that it starts
     * @param cpus CPU limit of all these processes together, in processors
     * @param processes limit of processes and threads that exist at the same time
     * @param environment environment variables, added to the few that every job process has
     */
    record InProcess(
            @Nullable Long memoryBytes,
            @Nullable Double cpus,
            @Nullable Integer processes,
            Map<String, String> environment)
            implements Isolation {
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
            return new InProcess(bytes(size), cpus, processes, environment);
        }

        /** CPU limit of the run: 0.5 is half of one processor. */
        public InProcess cpu(double cpus) {
            return new InProcess(memoryBytes, cpus, processes, environment);
        }

        /** Limit of processes and threads that the run may have at the same time. */
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

    /**
     * Runs the code in a Kubernetes pod. A setting that is null keeps the value of the worker's pod template, or else
     * the cluster's default.
     *
     * @param image the container image
     * @param memoryBytes RAM limit of the container
     * @param cpus CPU limit of the container, in processors
     * @param namespace where the pod runs
     * @param serviceAccount the account of the pod
     * @param environment environment variables of the container
     */
    record InPod(
            String image,
            @Nullable Long memoryBytes,
            @Nullable Double cpus,
            @Nullable String namespace,
            @Nullable String serviceAccount,
            Map<String, String> environment)
            implements Isolation {
        private static final Pattern NAME = Pattern.compile("[a-z0-9]([-a-z0-9.]{0,251}[a-z0-9])?");

        public InPod {
            environment = Map.copyOf(environment);
            new Problems()
                    .require(!image.isBlank(), "image", image, "the name of a container image")
                    .require(memoryBytes == null || memoryBytes >= LEAST_MEMORY, "memory", memoryBytes, ">= 1m")
                    .require(cpus == null || cpus >= 0.01, "cpu", cpus, ">= 0.01")
                    .require(isName(namespace), "namespace", namespace, "the name of a Kubernetes namespace")
                    .require(isName(serviceAccount), "serviceAccount", serviceAccount, "the name of a service account")
                    .throwIfAny();
        }

        private static boolean isName(@Nullable String text) {
            return text == null || NAME.matcher(text).matches();
        }

        @Override
        public String executor() {
            return KUBERNETES;
        }

        /** Memory limit of the container, such as {@code 256m} or {@code 2g}; a run that exceeds it is killed. */
        public InPod memory(String size) {
            return new InPod(image, bytes(size), cpus, namespace, serviceAccount, environment);
        }

        /** CPU limit of the container: 0.5 is half of one processor. */
        public InPod cpu(double cpus) {
            return new InPod(image, memoryBytes, cpus, namespace, serviceAccount, environment);
        }

        /** The namespace of the pod; by default the worker's. */
        public InPod namespace(String namespace) {
            return new InPod(image, memoryBytes, cpus, namespace, serviceAccount, environment);
        }

        /** Sets the service account of the pod and mounts its token into the container. */
        public InPod serviceAccount(String serviceAccount) {
            return new InPod(image, memoryBytes, cpus, namespace, serviceAccount, environment);
        }

        /** Sets an environment variable of the container. */
        public InPod environment(String name, String value) {
            var more = new TreeMap<>(environment);
            more.put(name, value);
            return new InPod(image, memoryBytes, cpus, namespace, serviceAccount, more);
        }
    }
}
