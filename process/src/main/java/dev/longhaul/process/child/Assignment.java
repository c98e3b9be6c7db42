package dev.longhaul.process.child;

import dev.longhaul.JobContext;
import dev.longhaul.job.DefinitionRef;
import dev.longhaul.job.JobId;
import java.time.Instant;
import org.jspecify.annotations.Nullable;

/** The run assigned to a child. The worker sends its fields as the texts of a {@link Word#RUN} message. */
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
            // Sent as a number, because parsing a time would load half of java.time and slow down the start of the
            // child.
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
