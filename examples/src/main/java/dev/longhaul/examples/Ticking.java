package dev.longhaul.examples;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.TickReport;

/** Runs jobs without a permanent worker: cron, or a serverless timer, calls tick. */
public final class Ticking {
    private Ticking() {}

    record Ping(int number) {}

    record Pong(int number) {}

    static final JobDefinition<Ping, Pong> PING =
            JobDefinition.of("ping", Ping.class, Pong.class).handler((params, context) -> new Pong(params.number()));

    // region tick
    static void tick(Longhaul longhaul) {
        TickReport report = longhaul.tick(); // recovers jobs of dead workers, fires schedules, runs up to 5 due jobs
        System.out.println("ran " + report.executed().size() + ", left " + report.waiting());
    }
    // endregion

    public static void main(String[] arguments) {
        try (var longhaul =
                Longhaul.builder().memory().register(PING).enqueueOnly().start()) {
            for (int i = 0; i < 7; i++) {
                longhaul.later(PING, new Ping(i));
            }
            tick(longhaul);
            tick(longhaul);
        }
    }
}
