package dev.longhaul.server.tracing;

import dev.longhaul.definition.JobContext;
import dev.longhaul.definition.JobDefinition;
import dev.longhaul.event.EventType;
import dev.longhaul.job.JobId;
import dev.longhaul.worker.Execution;
import dev.longhaul.worker.Executor;
import dev.longhaul.worker.Health;
import dev.longhaul.worker.Outcome;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.context.Context;
import org.jspecify.annotations.Nullable;

/** One span per run. Code in this JVM finds it as the current one, commands as {@code TRACEPARENT}. */
final class TracingExecutor implements Executor {
    private final Executor executor;
    private final Tracing tracing;

    TracingExecutor(Executor executor, Tracing tracing) {
        this.executor = executor;
        this.tracing = tracing;
    }

    /** The execution within a span. */
    private record Within(Execution execution, @Nullable String traceparent) implements Execution {
        @Override
        public JobDefinition<?, ?> definition() {
            return execution.definition();
        }

        @Override
        public String params() {
            return execution.params();
        }

        @Override
        public JobContext context() {
            return execution.context();
        }

        @Override
        public void report(EventType type, String payload) {
            execution.report(type, payload);
        }

        @Override
        public long nanosLeft() {
            return execution.nanosLeft();
        }
    }

    @Override
    public Outcome execute(Execution execution) {
        JobContext job = execution.context();
        Span span =
                tracing.span("run " + execution.definition().ref().key(), SpanKind.CONSUMER, execution.traceparent());
        try {
            JobId id = job.jobId();
            if (id != null) {
                span.setAttribute("longhaul.job.id", id.toString());
            }
            span.setAttribute("longhaul.job.run", job.run());
            span.setAttribute("longhaul.job.attempt", job.attempt());
            span.setAttribute(
                    "longhaul.definition", execution.definition().ref().toString());
            Execution within = new Within(execution, Tracing.own(span));
            Outcome outcome = Context.current()
                    .with(span)
                    .wrapSupplier(() -> executor.execute(within))
                    .get();
            span.setAttribute("longhaul.outcome", outcome.getClass().getSimpleName());
            boolean fine = outcome instanceof Outcome.Returned || outcome instanceof Outcome.Snoozed;
            if (!fine) {
                span.setStatus(StatusCode.ERROR);
            }
            return outcome;
        } finally {
            span.end();
        }
    }

    @Override
    public String name() {
        return executor.name();
    }

    @Override
    public void initialize() {
        executor.initialize();
    }

    @Override
    public void prepare(JobDefinition<?, ?> definition) {
        executor.prepare(definition);
    }

    @Override
    public Health health() {
        return executor.health();
    }

    @Override
    public void shutdown() {
        executor.shutdown();
    }
}
