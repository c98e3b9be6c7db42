package dev.longhaul;

import dev.longhaul.error.Problems;
import java.util.Map;
import java.util.TreeMap;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.jspecify.annotations.Nullable;

/**
 * Where the code of a definition runs: the name of an executor, and that executor's settings. A worker has the
 * executors {@code thread} and {@code process}, and {@code kubernetes} with the module of that name; an implementation of this interface names another one, which the
 * worker must have registered.
 */
public interface Isolation {
    /** The executor of {@link #thread()}. */
    String THREAD = "thread";

    /** The executor of {@link #process()}. */
    String PROCESS = "process";

    /** The executor of {@link #pod}. */
    String KUBERNETES = "kubernetes";

    /** A size of memory. */
    Pattern SIZE = Pattern.compile("([1-9][0-9]{0,8})([kmg])");

    /** The smallest memory limit in bytes. */
    long LEAST_MEMORY = 1 << 20;

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

    /** In a pod of a Kubernetes cluster per run, which continues when its worker ends. */
    static InPod pod(String image) {
        return new InPod(image, null, null, null, null, Map.of());
    }

    /** The bytes of a size such as {@code 256m}. */
    private static long bytes(String size) {
        Matcher parts = SIZE.matcher(size);
        new Problems()
                .require(parts.matches(), "memory", size, "a number and k, m or g, such as 256m")
                .throwIfAny();
        int shift = 10 * (1 + "kmg".indexOf(parts.group(2)));
        return Long.parseLong(parts.group(1)) << shift;
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

    /**
     * In a pod. Null means what the pod template of the worker, or else the cluster, sets.
     *
     * @param image the container image
     * @param memoryBytes RAM limit of the container
     * @param cpus processors' time that the container may use
     * @param namespace where the pod runs
     * @param serviceAccount the account of the pod
     * @param environment variables of the container
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

        /** The service account of the pod, whose token is then mounted. */
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
