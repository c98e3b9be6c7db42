package dev.longhaul.examples;

import static java.time.Duration.ofMinutes;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.event.EventQuery;
import dev.longhaul.event.EventType;
import dev.longhaul.job.JobId;
import dev.longhaul.spi.Subscription;
import java.util.concurrent.CountDownLatch;

/** Listens to job events of this process, and reads the stored events of a job. */
public final class Listening {
    private Listening() {}

    record Brew(String tea) {}

    record Brewed(String tea) {}

    static final JobDefinition<Brew, Brewed> BREW = JobDefinition.of("brew", Brew.class, Brewed.class)
            .handler((params, context) -> {
                context.progress(100, "steeped");
                context.emit("poured", params.tea());
                return new Brewed(params.tea());
            });

    public static void main(String[] arguments) throws InterruptedException {
        var heard = new CountDownLatch(1);
        try (var longhaul = Longhaul.builder().memory().register(BREW).start()) {
            // region listen
            Subscription listening = longhaul.listen(notice -> notice.type() == EventType.SUCCEEDED, notice -> {
                System.out.println("heard: " + notice.definition() + " succeeded");
                heard.countDown();
            });
            // endregion
            JobId id = longhaul.later(BREW, new Brew("oolong"));
            System.out.println(longhaul.await(BREW, id, ofMinutes(1)).orThrow());
            heard.await();
            listening.close();
            longhaul.store()
                    .jobs()
                    .events(EventQuery.of(id))
                    .forEach(event ->
                            System.out.println("stored: " + event.type().wireName()));
        }
    }
}
