package dev.longhaul.server.tracing;

import dev.longhaul.job.JobSpec;
import dev.longhaul.store.ClaimedJob;
import dev.longhaul.store.Verdict;
import dev.longhaul.worker.Outcome;
import dev.longhaul.worker.RunTracing;
import io.opentelemetry.api.common.AttributeKey;
import io.opentelemetry.api.common.Attributes;
import io.opentelemetry.api.trace.Span;
import io.opentelemetry.api.trace.SpanBuilder;
import io.opentelemetry.api.trace.SpanContext;
import io.opentelemetry.api.trace.SpanKind;
import io.opentelemetry.api.trace.StatusCode;
import io.opentelemetry.api.trace.TraceFlags;
import io.opentelemetry.api.trace.TraceState;
import io.opentelemetry.api.trace.Tracer;
import io.opentelemetry.context.Context;
import io.opentelemetry.sdk.trace.IdGenerator;
import java.time.Duration;
import java.time.Instant;
import java.util.Locale;
import java.util.concurrent.TimeUnit;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * One span per run, from its claim until its end is stored, with children for the claim, the handler and the storing. Code in this
 * JVM finds the handler's span as the current one, commands as {@code TRACEPARENT}. Messages of errors stay out of it.
 */
final class RunSpans implements RunTracing {
    private static final AttributeKey<String> JOB = AttributeKey.stringKey("longhaul.job.id");
    private static final AttributeKey<Long> RUN = AttributeKey.longKey("longhaul.job.run");
    private static final AttributeKey<Long> ATTEMPT = AttributeKey.longKey("longhaul.job.attempt");
    private static final AttributeKey<String> DEFINITION = AttributeKey.stringKey("longhaul.definition");
    private static final AttributeKey<String> QUEUE = AttributeKey.stringKey("longhaul.queue");
    private static final AttributeKey<String> OUTCOME = AttributeKey.stringKey("longhaul.outcome");
    private static final AttributeKey<String> VERDICT = AttributeKey.stringKey("longhaul.verdict");

    private final Tracer tracer;
    private final Share share;

    RunSpans(Tracer tracer, Share share) {
        this.tracer = tracer;
        this.share = share;
    }

    @Override
    public RunTrace claimed(ClaimedJob claimed, Duration claiming) {
        JobSpec spec = claimed.job().spec();
        Context parent = Traceparent.parent(spec.traceparent());
        if (!share.has(parent)) {
            return new Unrecorded(Span.fromContext(parent).getSpanContext());
        }
        long now = now();
        return new RunSpan(claimed, Share.chosen(parent), now - claiming.toNanos(), now);
    }

    private SpanBuilder builder(String name, Context parent, long began) {
        return tracer.spanBuilder(name).setParent(parent).setStartTimestamp(began, TimeUnit.NANOSECONDS);
    }

    private static long now() {
        Instant now = Instant.now();
        return TimeUnit.SECONDS.toNanos(now.getEpochSecond()) + now.getNano();
    }

    /** Not sent anywhere, and still a trace that its code goes on with: most never ask for it, so it is made when they do. */
    private static final class Unrecorded implements RunTrace {
        private SpanContext context;

        Unrecorded(SpanContext parent) {
            this.context = parent;
        }

        @Override
        public synchronized String traceparent() {
            if (!context.isValid()) {
                IdGenerator ids = IdGenerator.random();
                context = SpanContext.create(
                        ids.generateTraceId(), ids.generateSpanId(), TraceFlags.getDefault(), TraceState.getDefault());
            }
            return Traceparent.of(context);
        }

        @Override
        public Outcome execute(Supplier<Outcome> code) {
            return code.get();
        }

        @Override
        public void settled(Verdict verdict) {}
    }

    /** Its spans are made in the thread of the run, as far as can be: those that claim and that store ends are few, and serve all runs. */
    private final class RunSpan implements RunTrace {
        private final ClaimedJob claimed;
        private final Context parent;
        private final long began;
        private final long claimedAt;
        private @Nullable Span span;
        private volatile @Nullable Span handler;
        private volatile @Nullable Span complete;

        RunSpan(ClaimedJob claimed, Context parent, long began, long claimedAt) {
            this.claimed = claimed;
            this.parent = parent;
            this.began = began;
            this.claimedAt = claimedAt;
        }

        private synchronized Span span() {
            Span existing = span;
            if (existing != null) {
                return existing;
            }
            JobSpec spec = claimed.job().spec();
            Span made = builder("run " + spec.definition().key(), parent, began)
                    .setSpanKind(SpanKind.CONSUMER)
                    .setAllAttributes(Attributes.of(
                            JOB,
                            spec.id().toString(),
                            RUN,
                            (long) claimed.claim().run(),
                            ATTEMPT,
                            (long) claimed.job().tally().attempts(),
                            DEFINITION,
                            spec.definition().toString(),
                            QUEUE,
                            spec.queue()))
                    .startSpan();
            builder("claim", Context.root().with(made), began).startSpan().end(claimedAt, TimeUnit.NANOSECONDS);
            span = made;
            return made;
        }

        @Override
        public @Nullable String traceparent() {
            Span running = handler;
            return Tracing.own(running == null ? span() : running);
        }

        @Override
        public Outcome execute(Supplier<Outcome> code) {
            Span run = span();
            Context within = Context.root().with(run);
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
            Span run = span();
            if (!verdict.won()) {
                run.setStatus(StatusCode.ERROR);
            }
            run.setAttribute(VERDICT, verdict.kind().name().toLowerCase(Locale.ROOT));
            run.end(now, TimeUnit.NANOSECONDS);
        }
    }
}
