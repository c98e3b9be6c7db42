package dev.longhaul;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.job.JobWebhook;
import dev.longhaul.schedule.CatchUp;
import dev.longhaul.schedule.Overlap;
import dev.longhaul.schedule.Timing;
import dev.longhaul.schedule.Timing.Cron;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** A setter returns a copy, which must keep the other settings: {@code hasNoNullFieldsOrProperties} finds new ones. */
class CopiedSettingsTest {
    private static final Instant TIME = Instant.parse("2031-05-01T06:00:00Z");

    @Test
    void a_setter_of_job_options_keeps_all_other_settings() {
        JobOptions all = JobOptions.options()
                .name("name")
                .queue("queue")
                .priority(7)
                .runAt(TIME)
                .delay(Duration.ofSeconds(8))
                .idempotencyKey("key")
                .maxAttempts(9)
                .timeout(Duration.ofSeconds(10))
                .labels(Map.of("a", "b"))
                .correlationId("id")
                .hold(true)
                .createdBy("ann")
                .traceparent("trace")
                .webhook(JobWebhook.to("https://example.org/hook"));
        assertThat(all).hasNoNullFieldsOrProperties();
        assertThat(all.name("name")).isNotSameAs(all).usingRecursiveComparison().isEqualTo(all);
        assertThat(JobOptions.options().name()).isNull();
    }

    @Test
    void a_setter_of_a_schedule_keeps_all_other_settings() {
        NewSchedule all = NewSchedule.of("key")
                .startAt(TIME)
                .timing(Timing.every(Duration.ofSeconds(7), TIME))
                .cron("1 2 * * *")
                .timeZone("Europe/Berlin")
                .dst(Cron.Dst.SKIP)
                .at(List.of(TIME))
                .definition("definition", 2)
                .params("{}")
                .name("name")
                .endAt(TIME.plusSeconds(1))
                .maxRuns(8)
                .jitter(Duration.ofSeconds(9))
                .catchUp(CatchUp.Policy.ALL, 10, Duration.ofSeconds(11))
                .overlap(Overlap.SKIP)
                .enabled(false);
        assertThat(all).hasNoNullFieldsOrProperties();
        assertThat(all.key("key")).isNotSameAs(all).usingRecursiveComparison().isEqualTo(all);
    }
}
