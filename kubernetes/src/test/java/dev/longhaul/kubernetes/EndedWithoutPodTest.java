package dev.longhaul.kubernetes;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Isolation;
import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.event.EventType;
import dev.longhaul.job.Failure;
import dev.longhaul.job.Job;
import dev.longhaul.job.JobId;
import dev.longhaul.job.JobStatus;
import java.nio.file.Path;
import java.util.Objects;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Rows of the outcome table that a real cluster does not produce on request: above all, Jobs that have lost their pod. */
@Tag("full")
class EndedWithoutPodTest {
    @TempDir
    Path directory;

    private PodBench bench;
    private Longhaul worker;

    @BeforeEach
    void start() {
        bench = new PodBench(directory);
        worker = bench.worker(
                settings -> settings.withStartTimeout(bench.where.startTimeout()),
                Stream.of("pod-collected", "failed-collected", "deadline", "disrupted-collected", "create-container")
                        .map(EndedWithoutPodTest::definition)
                        .toArray(JobDefinition<?, ?>[]::new));
    }

    private static JobDefinition<JsonNode, JsonNode> definition(String image) {
        return PodBench.definition(image, Isolation.pod("registry.example.org/" + image));
    }

    @AfterEach
    void close() {
        bench.close();
    }

    private Job ended(String definition) {
        return bench.ended(bench.enqueue(worker, definition, "true"));
    }

    private Failure failure(String definition) {
        Job job = ended(definition);
        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        return Objects.requireNonNull(job.failure());
    }

    @Test
    void a_complete_job_has_succeeded_with_unknown_result() {
        Job job = ended("pod-collected");
        assertThat(job.status()).as("%s", job.failure()).isEqualTo(JobStatus.SUCCEEDED);
        assertThat(job.result()).isEqualTo("{\"exitCode\":0}");
        assertThat(bench.events(job.id(), EventType.CUSTOM))
                .anyMatch(event -> String.valueOf(event.payload()).contains("not available"));
    }

    @Test
    void a_failed_job_is_lost_with_its_reason() {
        Failure failure = failure("failed-collected");
        assertThat(failure.code()).isEqualTo(Failure.LOST);
        assertThat(failure.message()).contains("BackoffLimitExceeded");
    }

    @Test
    void an_exceeded_deadline_is_a_timeout() {
        Failure failure = failure("deadline");
        assertThat(failure.code()).isEqualTo(Failure.TIMEOUT);
        assertThat(failure.message()).contains("longer than specified deadline");
    }

    @Test
    void a_disruption_is_given_back_unspent() {
        Job job = ended("disrupted-collected");
        assertThat(Objects.requireNonNull(job.failure()).code()).isEqualTo(Failure.DISRUPTED);
        assertThat(job.tally().run()).isEqualTo(6);
        assertThat(job.tally().attempts()).isEqualTo(1);
    }

    @Test
    void a_container_that_cannot_be_created_fails_after_the_start_timeout_with_the_reason() {
        JobId id = bench.enqueue(worker, "create-container", "true");
        PodBench.await(
                "the reason",
                () -> bench.events(id, EventType.CUSTOM).stream()
                        .anyMatch(event -> String.valueOf(event.payload()).contains("CreateContainerConfigError")));
        assertThat(bench.job(id).state().terminal()).isFalse();
        Failure failure = Objects.requireNonNull(bench.ended(id).failure());
        assertThat(failure.code()).isEqualTo(Failure.NOT_STARTED);
        assertThat(failure.message()).contains("image will run as root");
    }
}
