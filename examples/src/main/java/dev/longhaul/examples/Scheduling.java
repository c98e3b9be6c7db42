package dev.longhaul.examples;

import static dev.longhaul.schedule.Timing.cron;
import static java.time.Duration.ofMinutes;

import dev.longhaul.JobDefinition;
import dev.longhaul.JobResult;
import dev.longhaul.Longhaul;
import dev.longhaul.NewSchedule;
import dev.longhaul.schedule.Overlap;
import java.time.Instant;
import java.util.List;
import java.util.Objects;

/** Schedules: one that the code brings along, one that is created while the program runs. */
public final class Scheduling {
    private Scheduling() {}

    record Report(String kind) {}

    // region definition
    static final JobDefinition<Report, String> REPORT = JobDefinition.of("report", Report.class, String.class)
            .schedule(cron("0 3 * * *").zone("Europe/Berlin"), new Report("daily"))
            .handler((params, context) -> params.kind() + " report");
    // endregion

    // region create
    static List<Instant> createHourly(Longhaul longhaul) {
        var hourly = NewSchedule.of("report-hourly", cron("0 * * * *"))
                .overlap(Overlap.SKIP) // no job while the previous one has not ended
                .jitter(ofMinutes(2));
        longhaul.schedules().create(hourly, REPORT, new Report("hourly"));
        return longhaul.schedules().preview("report-hourly", 3);
    }
    // endregion

    // region manage
    static JobResult<String> triggerAndPause(Longhaul longhaul) throws InterruptedException {
        var fire = longhaul.schedules().trigger("report-hourly", "ann"); // creates a job now
        longhaul.schedules().pause("report-hourly", "ann", "until the new format is agreed");
        return longhaul.await(REPORT, Objects.requireNonNull(fire.jobId()), ofMinutes(1));
    }
    // endregion

    public static void main(String[] arguments) throws InterruptedException {
        try (var longhaul = Longhaul.builder().memory().register(REPORT).start()) {
            System.out.println("next: " + createHourly(longhaul).size());
            System.out.println(triggerAndPause(longhaul).orThrow());
            System.out.println(longhaul.schedules().get("report").spec().key());
        }
    }
}
