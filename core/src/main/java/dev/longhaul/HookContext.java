package dev.longhaul;

import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** The job that a hook is called for. */
public record HookContext(
        JobId jobId,
        DefinitionRef definition,
        int run,
        int attempt,
        @Nullable String name,
        @Nullable String correlationId,
        Map<String, String> labels) {

    public static HookContext of(Job job) {
        return new HookContext(
                job.id(),
                job.spec().definition(),
                job.tally().run(),
                job.tally().attempts(),
                job.spec().name(),
                job.spec().correlationId(),
                job.spec().labels());
    }
}
