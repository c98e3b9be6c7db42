package dev.longhaul.observe;

import dev.longhaul.engine.run.RunTracing;
import dev.longhaul.job.JobSpec;
import dev.longhaul.spi.Outcome;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Verdict;
import io.opentelemetry.api.OpenTelemetry;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Creates one span per run, from its claim until its end is stored, with child spans for the claim, the handler and the
 * write of the end. The parent is the trace context stored with the job. In the worker's JVM the handler's span is the
 * current one; commands get its id in the variable {@code TRACEPARENT}. Spans contain no error messages, because
 * messages may quote params.
 */
public final class OpenTelemetryTracing implements RunTracing {
    /** The instrumentation scope of all spans. */
    public static final String SCOPE = "dev.longhaul";

    private static final AttributeKey<String> JOB = AttributeKey.stringKey("longhaul.job.id");
    private static final AttributeKey<Long> RUN = AttributeKey.longKey("longhaul.job.run");
    private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("longhaul.job.attempt");
    private static final AttributeKey<String> DEFINITION = AttributeKey.stringKey("longhaul.definition");
    private static final AttributeKey<String> QUEUE = AttributeKey.stringKey("longhaul.queue");
    private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("longhaul.outcome");
    private static final AttributeKey<String> VERDICT = AttributeKey.stringKey("longhaul.verdict");

    private final Tracer tracer;

    private OpenTelemetryTracing(Tracer tracer) {
        this.tracer = tracer;
    }

    /** Returns a tracing for {@code Longhaul.builder().traceBy(…)}. The given instance controls sampling and export. */
    public static OpenTelemetryTracing of(OpenTelemetry telemetry) {
        return new OpenTelemetryTracing(telemetry.getTracer(SCOPE));
    }

    @Override
    public RunTrace claimed(ClaimedJob claimed, Duration claiming) {
        long now = now();
        long began = now - claiming.toNanos();
        JobSpec spec = claimed.job().spec();
        Span run = builder("run " + spec.definition().key(), Traceparent.parent(spec.traceparent()), began)
                .setSpanKind(SpanKind.CONSUMER)
                .setAllAttributes(attributes(claimed))
                .startSpan();
        Context within = Context.root().with(run);
        builder("claim", within, began).startSpan().end(now, TimeUnit.NANOSECONDS);
        return new RunSpan(run, within);
    }

    private static Attributes attributes(ClaimedJob claimed) {
        JobSpec spec = claimed.job().spec();
        return Attributes.builder()
                .put(JOB, spec.id().toString())
                .put(RUN, (long) claimed.claim().run())
                .put(ATTEMPT, (long) claimed.job().tally().attempts())
                .put(DEFINITION, spec.definition().toString())
                .put(QUEUE, spec.queue())
                .build();
    }

    private SpanBuilder builder(String name, Context parent, long began) {
        return tracer.spanBuilder(name).setParent(parent).setStartTimestamp(began, TimeUnit.NANOSECONDS);
    }

    private static long now() {
        Instant now = Instant.now();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    }

    private final class RunSpan implements RunTrace {
        private final Span run;
        private final Context within;
        private volatile @Nullable Span handler;
        private volatile @Nullable Span complete;

        RunSpan(Span run, Context within) {
            this.run = run;
            this.within = within;
        }

        @Override
        public @Nullable String traceparent() {
            Span running = handler;
            return Traceparent.of(running == null ? run : running);
        }

        @Override
        public Outcome execute(Supplier<Outcome> code) {
            Span running = builder("handler", within, now()).startSpan();
            handler = running;
            try {
                Outcome outcome = within.with(running).wrapSupplier(code).get();
                run.setAttribute(OUTCOME, outcome.getClass().getSimpleName().toLowerCase(Locale.ROOT));
                if (!(outcome instanceof Outcome.Returned || outcome instanceof Outcome.Snoozed)) {
                    running.setStatus(StatusCode.ERROR);
                    run.setStatus(StatusCode.ERROR);
                }
                return outcome;
            } finally {
                long handled = now();
                running.end(handled, TimeUnit.NANOSECONDS);
                complete = builder("complete", within, handled).startSpan();
            }
        }

        @Override
        public void settled(Verdict verdict) {
            long now = now();
            Span storing = complete;
            if (storing != null) {
                storing.end(now, TimeUnit.NANOSECONDS);
            }
            if (!verdict.won()) {
                run.setStatus(StatusCode.ERROR);
            }
            run.setAttribute(VERDICT, verdict.kind().name().toLowerCase(Locale.ROOT));
            run.end(now, TimeUnit.NANOSECONDS);
        }
    }
}
