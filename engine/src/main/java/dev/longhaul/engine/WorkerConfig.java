package dev.longhaul.engine;

import dev.longhaul.engine.run.FailureLog;
import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Names;
import dev.longhaul.job.JobSpec;
import java.lang.management.ManagementFactory;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.ThreadLocalRandom;

/**
 * Settings of a worker.
 *
 * @param queues the queues it serves, each with the most slots it may take; {@link #ANY} means no limit
 * @param slots how many jobs run concurrently
 * @param lease how long a job stays claimed without renewal; leases are renewed three times per lease
 * @param cancelGrace how long code may take to end after a stop request before its thread is interrupted
 * @param drain how long running jobs may take to end when the worker stops
 * @param logFailures whether failed attempts are logged, see {@link FailureLog}
 */
public record WorkerConfig(
        String workerId,
        Map<String, Integer> queues,
        int slots,
        Duration lease,
        Duration cancelGrace,
        Duration drain,
        boolean logFailures) {
    public static final int ANY = Integer.MAX_VALUE;
    private static final int CORES = Runtime.getRuntime().availableProcessors();
    public static final WorkerConfig DEFAULT = new WorkerConfig(
            newId(),
            Map.of(JobSpec.DEFAULT_QUEUE, ANY),
            Math.max(4, 2 * CORES),
            Duration.ofSeconds(15),
            Duration.ofSeconds(30),
            Duration.ofSeconds(30),
            true);

    public WorkerConfig {
        queues = Map.copyOf(queues);
        var problems = new Problems();
        problems.require(!workerId.isBlank(), "workerId", workerId, "not blank");
        problems.require(!queues.isEmpty(), "queues", queues, "at least one");
        queues.forEach((queue, most) -> {
            problems.require(Names.valid(queue), "queues", queue, Names.RULE);
            problems.require(most >= 1, "queues." + queue, most, ">= 1");
        });
        problems.require(slots >= 1 && slots <= 10_000, "slots", slots, "1 to 10000");
        problems.require(lease.compareTo(Duration.ofMillis(300)) >= 0, "lease", lease, ">= 300 ms");
        problems.require(!cancelGrace.isNegative(), "cancelGrace", cancelGrace, ">= 0");
        problems.require(!drain.isNegative(), "drain", drain, ">= 0");
        problems.throwIfAny();
    }

    /** A unique worker id that people can read: process id, host name and a random part. */
    public static String newId() {
        String chance = Integer.toString(ThreadLocalRandom.current().nextInt(0x1000, 0x10000), 16);
        return ManagementFactory.getRuntimeMXBean().getName() + "-" + chance;
    }

    public WorkerConfig withWorkerId(String workerId) {
        return new WorkerConfig(workerId, queues, slots, lease, cancelGrace, drain, logFailures);
    }

    public WorkerConfig withQueues(Map<String, Integer> queues) {
        return new WorkerConfig(workerId, queues, slots, lease, cancelGrace, drain, logFailures);
    }

    public WorkerConfig withSlots(int slots) {
        return new WorkerConfig(workerId, queues, slots, lease, cancelGrace, drain, logFailures);
    }

    public WorkerConfig withLease(Duration lease) {
        return new WorkerConfig(workerId, queues, slots, lease, cancelGrace, drain, logFailures);
    }

    public WorkerConfig withCancelGrace(Duration cancelGrace) {
        return new WorkerConfig(workerId, queues, slots, lease, cancelGrace, drain, logFailures);
    }

    public WorkerConfig withDrain(Duration drain) {
        return new WorkerConfig(workerId, queues, slots, lease, cancelGrace, drain, logFailures);
    }

    public WorkerConfig withLogFailures(boolean logFailures) {
        return new WorkerConfig(workerId, queues, slots, lease, cancelGrace, drain, logFailures);
    }
}
