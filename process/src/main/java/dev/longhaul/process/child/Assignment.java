package dev.longhaul.process.child;

import dev.longhaul.JobContext;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The run assigned to a child, sent as the texts of {@link Word#RUN}. */
public record Assignment(
        DefinitionRef definition,
        String params,
        @Nullable JobId jobId,
        int run,
        int attempt,
        @Nullable String correlationId,
        Instant deadline,
        @Nullable String traceparent) {

    public static Assignment of(String params, JobContext context) {
        return new Assignment(
                context.definition(),
                params,
                context.jobId(),
                context.run(),
                context.attempt(),
                context.correlationId(),
                context.deadline(),
                context.traceparent());
    }

    public @Nullable String[] texts() {
        return new String[] {
            definition.toString(),
            params,
            jobId == null ? null : jobId.toString(),
            String.valueOf(run),
            String.valueOf(attempt),
            correlationId,
            // A number, because parsing a time loads half of java.time, which slows the start.
            String.valueOf(deadline.toEpochMilli()),
            traceparent
        };
    }

    static Assignment of(Wire.Said said) {
        String id = said.texts().get(2);
        return new Assignment(
                DefinitionRef.parse(said.text(0)),
                said.text(1),
                id == null ? null : JobId.parse(id),
                said.number(3),
                said.number(4),
                said.texts().get(5),
                Instant.ofEpochMilli(Long.parseLong(said.text(6))),
                said.texts().get(7));
    }
}
