package dev.longhaul.demo;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.JobContext;
import dev.longhaul.JobDefinition;
import dev.longhaul.JobDefinitions;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/** A small job for each feature of jobs: returning a result, taking long, failing, reporting progress. */
public final class DemoJobs implements JobDefinitions {
    private static final String ANYTHING = "true";
    private static final int WHOLE = 100;

    /** Params of {@code demo.sleep}. */
    public record Sleep(long millis) {}

    /** Result of {@code demo.sleep}. */
    public record Slept(long millis) {}

    /** Params of {@code demo.fail}. */
    public record Fail(int times) {}

    /** Result of {@code demo.fail}. */
    public record Recovered(int run) {}

    /** Params of {@code demo.count}. By default it counts to 10, twice a second. */
    public record Count(Optional<Integer> to, Optional<Long> everyMillis) {}

    /** Result of {@code demo.count}. */
    public record Counted(int counted) {}

    /** Returns its params, which may be any JSON. */
    public static final JobDefinition<JsonNode, JsonNode> ECHO = JobDefinition.of(
                    "demo.echo", JsonNode.class, JsonNode.class)
            .paramsSchema(ANYTHING)
            .resultSchema(ANYTHING)
            .handler((params, context) -> params);

    /** Sleeps for {@code millis}, unless it is cancelled. */
    public static final JobDefinition<Sleep, Slept> SLEEP = JobDefinition.of("demo.sleep", Sleep.class, Slept.class)
            .handler((params, context) -> {
                pause(params.millis, stopSignal(context), context);
                return new Slept(params.millis);
            });

    /** Fails in its first {@code times} runs, then succeeds. */
    public static final JobDefinition<Fail, Recovered> FAIL = JobDefinition.of("demo.fail", Fail.class, Recovered.class)
            .handler((params, context) -> {
                if (context.run() <= params.times) {
                    throw new IllegalStateException(
                            "run " + context.run() + " of " + params.times + " that fail on request");
                }
                return new Recovered(context.run());
            });

    /** Counts; at every number, logs a line and reports progress. */
    public static final JobDefinition<Count, Counted> COUNT = JobDefinition.of("demo.count", Count.class, Counted.class)
            .handler((params, context) -> {
                int to = params.to.orElse(10);
                long everyMillis = params.everyMillis.orElse(500L);
                CountDownLatch stop = stopSignal(context);
                for (int number = 1; number <= to; number++) {
                    pause(everyMillis, stop, context);
                    context.log().info("counted {} of {}", number, to);
                    context.progress((int) (WHOLE * (long) number / to), number + " of " + to);
                }
                return new Counted(to);
            });

    @Override
    public List<JobDefinition<?, ?>> definitions() {
        return List.of(ECHO, SLEEP, FAIL, COUNT);
    }

    private static CountDownLatch stopSignal(JobContext context) {
        var stop = new CountDownLatch(1);
        context.onCancel(stop::countDown);
        return stop;
    }

    private static void pause(long millis, CountDownLatch stop, JobContext context) throws InterruptedException {
        if (stop.await(millis, TimeUnit.MILLISECONDS)) {
            context.throwIfCancelled();
        }
    }
}
