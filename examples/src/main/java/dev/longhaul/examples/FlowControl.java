package dev.longhaul.examples;

import static dev.longhaul.JobOptions.options;
import static java.time.Duration.ofMinutes;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.error.LonghaulException;
import dev.longhaul.job.JobId;
import java.util.Map;

/** Limits how many jobs run at once and how many may wait, and lets urgent jobs start first. */
public final class FlowControl {
    private FlowControl() {}

    record Embed(String document) {}

    // region limit
    static final JobDefinition<Embed, Integer> EMBED = JobDefinition.of("ml.embed", Embed.class, Integer.class)
            .queue("ml")
            .concurrencyLimit(2) // in the whole cluster
            .handler((params, context) -> params.document().length());

    static Longhaul start() {
        return Longhaul.builder()
                .memory()
                .register(EMBED)
                .slots(8) // jobs that this process runs at once
                .queues(Map.of("ml", 4, "default", 8)) // each queue with the slots that it may use
                .start();
    }
    // endregion

    // region bound
    static String submit(Longhaul longhaul, String document) {
        longhaul.store().queues().maxDepth("ml", 1000); // stored; every process applies it
        try {
            JobId id = longhaul.later(EMBED, new Embed(document), options().priority(10));
            return "accepted " + id;
        } catch (LonghaulException e) {
            return "try again later: " + e.code().wireName(); // resource_exhausted when the queue is full
        }
    }
    // endregion

    public static void main(String[] arguments) throws InterruptedException {
        try (var longhaul = start()) {
            String accepted = submit(longhaul, "four");
            System.out.println(accepted.substring(0, "accepted".length()));
            var id = JobId.parse(accepted.substring("accepted ".length()));
            System.out.println(longhaul.await(EMBED, id, ofMinutes(1)).orThrow());
            longhaul.store().queues().pause("ml", "ann", "model is being replaced");
            longhaul.store().queues().maxDepth("ml", 1);
            longhaul.later(EMBED, new Embed("waits"));
            try {
                longhaul.later(EMBED, new Embed("one too many"));
            } catch (LonghaulException e) {
                System.out.println(e.code().wireName());
            }
        }
    }
}
