package dev.longhaul.bench.isolation;

import static dev.longhaul.Isolation.process;

import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobDefinitions;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;

/** Jobs whose result is the time at which their code began, by the clock that all processes of a machine share. */
public final class IsolatedJobs implements JobDefinitions {
    private static final int COLD = 40;

    /** Params of these jobs. */
    public record Nothing() {}

    /** When the handler began, in microseconds. */
    public record Began(long micros) {}

    static final JobDefinition<Nothing, Began> THREAD = began("bench.thread", Isolation.thread());
    static final JobDefinition<Nothing, Began> WARM = began("bench.warm", process());

    /** Returns jobs that each have a different definition and environment, so that no idle process can run them. */
    static List<JobDefinition<Nothing, Began>> cold() {
        List<JobDefinition<Nothing, Began>> all = new ArrayList<>();
        for (int i = 0; i < COLD; i++) {
            all.add(began("bench.cold" + i, process().environment("BENCH_KIND", String.valueOf(i))));
        }
        return all;
    }

    private static JobDefinition<Nothing, Began> began(String key, Isolation isolation) {
        return JobDefinition.of(key, Nothing.class, Began.class)
                .isolation(isolation)
                .handler((params, context) -> new Began(nowMicros()));
    }

    static long nowMicros() {
        Instant now = Instant.now();
        return now.getEpochSecond() * 1_000_000 + now.getNano() / 1000;
    }

    @Override
    public List<JobDefinition<?, ?>> definitions() {
        List<JobDefinition<?, ?>> all = new ArrayList<>(List.of(THREAD, WARM));
        all.addAll(cold());
        return all;
    }
}
