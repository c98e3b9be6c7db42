package dev.longhaul.catalog;

import dev.longhaul.error.Problems;
import dev.longhaul.internal.text.Names;
import dev.longhaul.internal.text.Text;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Limits;
import java.util.List;
import java.util.Set;

/**
 * A worker's report about itself.
 *
 * @param running runs whose code is running, stuck ones included
 * @param stuck threads whose code ignores its interrupt; each occupies a slot
 */
public record WorkerReport(
        String workerId,
        String host,
        long pid,
        String version,
        List<String> queues,
        Set<DefinitionRef> definitions,
        int slots,
        int running,
        int stuck,
        boolean draining) {

    /** A report of a worker without stuck threads. */
    public WorkerReport(
            String workerId,
            String host,
            long pid,
            String version,
            List<String> queues,
            Set<DefinitionRef> definitions,
            int slots,
            int running,
            boolean draining) {
        this(workerId, host, pid, version, queues, definitions, slots, running, 0, draining);
    }

    public WorkerReport {
        queues = List.copyOf(queues);
        definitions = Set.copyOf(definitions);
        host = Text.storableOf(host, Limits.NAME);
        version = Text.storableOf(version, Limits.NAME);
        new Problems()
                .require(
                        !workerId.isEmpty() && workerId.length() <= Limits.NAME && Text.storable(workerId),
                        "workerId",
                        workerId,
                        "1 to " + Limits.NAME + " characters, no NUL")
                .require(queues.stream().allMatch(Names::valid), "queues", queues, Names.RULE)
                .require(slots >= 0, "slots", slots, ">= 0")
                .require(running >= 0, "running", running, ">= 0")
                .require(stuck >= 0, "stuck", stuck, ">= 0")
                .throwIfAny();
    }
}
