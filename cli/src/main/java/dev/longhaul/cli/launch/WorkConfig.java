package dev.longhaul.cli.launch;

import dev.longhaul.worker.WorkerConfig;
import java.time.Duration;
import java.util.Map;

/**
 * How jobs are run and kept.
 *
 * @param queues each with the most slots it may take; none means the queue default and those of the definitions
 * @param retention how long jobs are kept after they have ended
 */
record WorkConfig(
        int slots,
        Map<String, Integer> queues,
        Duration lease,
        Duration cancelGrace,
        Duration drain,
        Duration retention) {
    static final WorkConfig DEFAULT = new WorkConfig(
            WorkerConfig.DEFAULT.slots(),
            Map.of(),
            WorkerConfig.DEFAULT.lease(),
            WorkerConfig.DEFAULT.cancelGrace(),
            WorkerConfig.DEFAULT.drain(),
            Duration.ofDays(7));

    WorkConfig {
        queues = Map.copyOf(queues);
    }
}
