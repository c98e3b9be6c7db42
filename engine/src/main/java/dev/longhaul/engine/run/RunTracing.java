package dev.longhaul.engine.run;

import dev.longhaul.spi.Outcome;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Verdict;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Traces runs, from their claim until their end is stored. */
public interface RunTracing {
    /** Traces nothing; the code gets the trace context its job was submitted with. */
    RunTracing OFF = (claimed, claiming) -> new Untraced(claimed.job().spec().traceparent());

    /**
     * Begins the trace of a run. Called right after the run was claimed.
     *
     * @param claiming how long the claim took
     */
    RunTrace claimed(ClaimedJob claimed, Duration claiming);

    /** The trace of one run. */
    interface RunTrace {
        /** The W3C trace context of the code, to pass on to jobs and services it calls. */
        @Nullable
        String traceparent();

        /** Runs the code. Not called for a run that is given back before it begins. */
        Outcome execute(Supplier<Outcome> code);

        /** Ends the trace. Called once, when the end of the run is stored or can no longer be stored. */
        void settled(Verdict verdict);
    }

    /** A run without a trace. */
    record Untraced(@Nullable String traceparent) implements RunTrace {
        @Override
        public Outcome execute(Supplier<Outcome> code) {
            return code.get();
        }

        @Override
        public void settled(Verdict verdict) {}
    }
}
