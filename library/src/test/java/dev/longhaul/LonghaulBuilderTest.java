package dev.longhaul;

import static java.time.Duration.ofSeconds;
import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.definition.JobDefinition;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import java.time.Duration;
import org.junit.jupiter.api.Test;

class LonghaulBuilderTest {
    record Nothing() {}

    private static final Nothing NOTHING = new Nothing();
    private static final Duration PATIENCE = ofSeconds(20);

    private final JobDefinition<Nothing, Nothing> plain =
            JobDefinition.of("plain", Nothing.class, Nothing.class).handler((params, context) -> NOTHING);
    private final JobDefinition<Nothing, Nothing> elsewhere = JobDefinition.of(
                    "elsewhere", Nothing.class, Nothing.class)
            .queue("reports")
            .handler((params, context) -> NOTHING);

    @Test
    void the_queues_of_its_definitions_are_served_by_default() throws Exception {
        try (Longhaul longhaul =
                Longhaul.builder().memory().register(plain, elsewhere).start()) {
            JobId here = longhaul.later(plain, NOTHING);
            JobId there = longhaul.later(elsewhere, NOTHING);
            assertThat(longhaul.await(elsewhere, there, PATIENCE).status()).isEqualTo(JobStatus.SUCCEEDED);
            assertThat(longhaul.await(plain, here, PATIENCE).status()).isEqualTo(JobStatus.SUCCEEDED);
        }
    }

    @Test
    void once_queues_are_named_no_others_are_served() throws Exception {
        try (Longhaul longhaul = Longhaul.builder()
                .memory()
                .register(plain, elsewhere)
                .queues("default")
                .start()) {
            JobId there = longhaul.later(elsewhere, NOTHING);
            JobId here = longhaul.later(plain, NOTHING);
            assertThat(longhaul.await(plain, here, PATIENCE).status()).isEqualTo(JobStatus.SUCCEEDED);
            assertThat(longhaul.find(there).orElseThrow().status()).isEqualTo(JobStatus.QUEUED);
        }
    }
}
