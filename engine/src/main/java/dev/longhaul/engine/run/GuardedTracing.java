package dev.longhaul.engine.run;

import dev.longhaul.internal.loop.RareLog;
import dev.longhaul.spi.Outcome;
import dev.longhaul.work.ClaimedJob;
import dev.longhaul.work.Verdict;
import java.time.Duration;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.LoggerFactory;

/** Isolates runs from a foreign tracer: exceptions of the tracer are logged, and the run continues untraced. */
public final class GuardedTracing implements RunTracing {
    private final RunTracing tracing;
    private final RareLog errors = new RareLog(LoggerFactory.getLogger(GuardedTracing.class));

    public GuardedTracing(RunTracing tracing) {
        this.tracing = tracing;
    }

    @Override
    public RunTrace claimed(ClaimedJob claimed, Duration claiming) {
        try {
            return new Guarded(tracing.claimed(claimed, claiming), claimed);
        } catch (RuntimeException | Error e) {
            failed(e);
            return OFF.claimed(claimed, claiming);
        }
    }

    private void failed(Throwable e) {
        errors.error("tracing a run failed; the run is not affected", e);
    }

    private final class Guarded implements RunTrace {
        private final RunTrace trace;
        private final ClaimedJob claimed;

        Guarded(RunTrace trace, ClaimedJob claimed) {
            this.trace = trace;
            this.claimed = claimed;
        }

        @Override
        public @Nullable String traceparent() {
            try {
                return trace.traceparent();
            } catch (RuntimeException | Error e) {
                failed(e);
                return claimed.job().spec().traceparent();
            }
        }

        @Override
        public Outcome execute(Supplier<Outcome> code) {
            var once = new Once(code);
            try {
                return trace.execute(once);
            } catch (RuntimeException | Error e) {
                if (e != once.failure) {
                    failed(e);
                }
                return once.outcome();
            }
        }

        @Override
        public void settled(Verdict verdict) {
            try {
                trace.settled(verdict);
            } catch (RuntimeException | Error e) {
                failed(e);
            }
        }
    }

    /** Runs the code exactly once, even if the tracer does not call it, or fails after calling it. */
    private static final class Once implements Supplier<Outcome> {
        private final Supplier<Outcome> code;
        private @Nullable Outcome outcome;
        private @Nullable Throwable failure;

        Once(Supplier<Outcome> code) {
            this.code = code;
        }

        @Override
        public Outcome get() {
            try {
                Outcome returned = code.get();
                outcome = returned;
                return returned;
            } catch (RuntimeException | Error e) {
                failure = e;
                throw e;
            }
        }

        Outcome outcome() {
            if (failure instanceof RuntimeException e) {
                throw e;
            }
            if (failure instanceof Error e) {
                throw e;
            }
            return outcome == null ? code.get() : outcome;
        }
    }
}
