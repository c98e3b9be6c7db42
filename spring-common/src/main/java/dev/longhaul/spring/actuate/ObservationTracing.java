package dev.longhaul.spring.actuate;

import dev.longhaul.engine.run.RunTracing;
import dev.longhaul.job.JobSpec;
import dev.longhaul.spi.Outcome;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Verdict;
import io.micrometer.observation.Observation;
import io.micrometer.observation.ObservationRegistry;
import io.micrometer.observation.transport.Kind;
import io.micrometer.observation.transport.ReceiverContext;
import io.micrometer.observation.transport.SenderContext;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/**
 * Observes each run, from its claim until its end is stored, as {@code longhaul.run}; with a tracer of Micrometer it is a span
 * whose parent is the trace that the job was enqueued in. Observations contain no error messages, because messages may quote
 * params.
 */
public final class ObservationTracing implements RunTracing {
    private static final String TRACEPARENT = "traceparent";

    private final ObservationRegistry registry;

    public ObservationTracing(ObservationRegistry registry) {
        this.registry = registry;
    }

    /** The trace context to store with a job; null outside of observed code. Observed as {@code longhaul.enqueue}. */
    public @Nullable String current() {
        if (registry.getCurrentObservation() == null) {
            return null;
        }
        Map<String, String> headers = new HashMap<>();
        Observation.createNotStarted(
                        "longhaul.enqueue",
                        () -> {
                            var context = new SenderContext<Map<String, String>>(
                                    (carrier, key, value) -> headers.put(key, value), Kind.PRODUCER);
                            context.setCarrier(headers);
                            return context;
                        },
                        registry)
                .contextualName("enqueue")
                .start()
                .stop();
        return headers.get(TRACEPARENT);
    }

    @Override
    public RunTrace claimed(ClaimedJob claimed, Duration claiming) {
        JobSpec spec = claimed.job().spec();
        Observation observation = Observation.createNotStarted("longhaul.run", () -> received(spec), registry)
                .contextualName("run " + spec.definition().key())
                .lowCardinalityKeyValue("longhaul.definition", spec.definition().key())
                .lowCardinalityKeyValue("longhaul.queue", spec.queue())
                .highCardinalityKeyValue("longhaul.job.id", spec.id().toString())
                .highCardinalityKeyValue(
                        "longhaul.job.run", Integer.toString(claimed.claim().run()))
                .highCardinalityKeyValue(
                        "longhaul.job.attempt",
                        Integer.toString(claimed.job().tally().attempts()))
                .start();
        return new ObservedRun(observation, spec.traceparent());
    }

    private static ReceiverContext<Map<String, String>> received(JobSpec spec) {
        var context = new ReceiverContext<Map<String, String>>(Map::get, Kind.CONSUMER);
        String traceparent = spec.traceparent();
        context.setCarrier(traceparent == null ? Map.of() : Map.of(TRACEPARENT, traceparent));
        return context;
    }

    private record ObservedRun(
            Observation observation, @Nullable String traceparent) implements RunTrace {
        @Override
        public Outcome execute(Supplier<Outcome> code) {
            Outcome outcome = observation.scoped(code);
            if (!(outcome instanceof Outcome.Returned || outcome instanceof Outcome.Snoozed)) {
                observation.error(new FailedRun(outcome.getClass().getSimpleName()));
            }
            return outcome;
        }

        @Override
        public void settled(Verdict verdict) {
            observation.stop();
        }
    }

    /** Marks the observation of a run that did not succeed. */
    private static final class FailedRun extends RuntimeException {
        private static final long serialVersionUID = 1;

        FailedRun(String outcome) {
            super(outcome, null, false, false);
        }
    }
}
