package dev.longhaul.catalog;

import dev.longhaul.job.DefinitionRef;
import java.util.List;
import java.util.Set;

/** What a worker tells of itself. */
public record WorkerReport(
        String workerId,
        String host,
        long pid,
        String version,
        List<String> queues,
        Set<DefinitionRef> definitions,
        int slots,
        int running,
        boolean draining) {}
