package dev.longhaul.examples;

import static java.time.Duration.ofMinutes;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.event.EventType;
import dev.longhaul.job.JobId;
import java.util.concurrent.CountDownLatch;

/** Cancels a job while it runs. */
public final class Cancelling {
    private Cancelling() {}

    record Count(long limit) {}

    record Counted(long reached) {}

    // region cancel
    static final JobDefinition<Count, Counted> COUNT = JobDefinition.of("count", Count.class, Counted.class)
            .handler((params, context) -> {
                long reached = 0;
                while (reached < params.limit()) {
                    context.throwIfCancelled(); // or check cancelled(), or register onCancel(…)
                    reached++;
                }
                return new Counted(reached);
            });

    static void cancel(Longhaul longhaul, JobId id) throws InterruptedException {
        longhaul.cancel(id, "no longer needed"); // from any process
        System.out.println(longhaul.await(COUNT, id, ofMinutes(1)).status());
    }
    // endregion

    public static void main(String[] arguments) throws InterruptedException {
        var started = new CountDownLatch(1);
        try (var longhaul = Longhaul.builder().memory().register(COUNT).start()) {
            longhaul.listen(notice -> notice.type() == EventType.STARTED, notice -> started.countDown());
            JobId id = longhaul.later(COUNT, new Count(Long.MAX_VALUE));
            started.await();
            cancel(longhaul, id);
        }
    }
}
