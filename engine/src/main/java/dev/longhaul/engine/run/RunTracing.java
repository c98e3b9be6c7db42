package dev.longhaul.engine.run;

import dev.longhaul.spi.Outcome;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Verdict;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Follows runs, from their claim until their end is stored. */
public interface RunTracing {
    /** Follows none; the code gets the trace that its job was asked for in. */
    RunTracing OFF = (claimed, claiming) -> new Untraced(claimed.job().spec().traceparent());

    /**
     * A run was claimed just now.
     *
     * @param claiming how long that took
     */
    RunTrace claimed(ClaimedJob claimed, Duration claiming);

    /** One run. */
    interface RunTrace {
        /** The W3C trace context that the code belongs to, for what it starts or calls. */
        @Nullable
        String traceparent();

        /** Runs the code. Not called for a run that is given back before it begins. */
        Outcome execute(Supplier<Outcome> code);

        /** Its end is stored, or it is known that it never will be. Called once. */
        void settled(Verdict verdict);
    }

    /** A run that nobody follows. */
    record Untraced(@Nullable String traceparent) implements RunTrace {
        @Override
        public Outcome execute(Supplier<Outcome> code) {
            return code.get();
        }

        @Override
        public void settled(Verdict verdict) {}
    }
}
