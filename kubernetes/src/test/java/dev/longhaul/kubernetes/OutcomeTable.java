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
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** One test per row of the outcome table (docs/guides/kubernetes.md). */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
abstract class OutcomeTable {
    private PodBench bench;
    private Longhaul worker;

    private static final JobDefinition<JsonNode, JsonNode> SHELL =
            PodBench.definition("shell", Isolation.pod(PodBench.IMAGE).memory("64m"));

    private static final List<String> FAULTS = List.of(
            "oom",
            "evicted",
            "image-pull",
            "invalid-name",
            "unschedulable",
            "quota",
            "no-account",
            "unprocessable",
            "forbidden");

    /** The cluster of this test; the table closes it. */
    abstract TestCluster cluster();

    @BeforeAll
    void start(@TempDir Path directory) {
        TestCluster cluster = cluster();
        bench = new PodBench(directory, cluster);
        JobDefinition<?, ?>[] all = new JobDefinition<?, ?>[FAULTS.size() + 1];
        for (int i = 0; i < FAULTS.size(); i++) {
            all[i] = cluster.faulty(FAULTS.get(i));
        }
        all[FAULTS.size()] = SHELL;
        worker = bench.worker(settings -> settings.withStartTimeout(cluster.startTimeout()), all);
    }

    @AfterAll
    void close() {
        if (bench != null) {
            bench.close();
        }
    }

    private JobId enqueue(String definition, String script) {
        return bench.enqueue(worker, definition, script);
    }

    private Failure failure(JobId id) {
        Job job = bench.ended(id);
        assertThat(job.status()).isEqualTo(JobStatus.FAILED);
        return Objects.requireNonNull(job.failure());
    }

    @Nested
    class Exit {
        @Test
        void code_0_succeeds_with_the_result_of_the_termination_message_and_all_output() {
            JobId id = enqueue("shell", "echo one; echo $LONGHAUL_PARAMS; echo '{\"rows\": 3}' > /dev/termination-log");
            Job job = bench.ended(id);
            assertThat(job.status()).isEqualTo(JobStatus.SUCCEEDED);
            assertThat(job.result()).isEqualTo("{\"rows\":3}");
            assertThat(bench.output(id)).startsWith("one\n").contains("script");
        }

        @Test
        void another_code_fails_with_that_code_and_the_retry_policy_decides() {
            Failure failure = failure(enqueue("shell", "exit 7"));
            assertThat(failure.code()).isEqualTo(Failure.EXIT_CODE);
            assertThat(failure.message()).contains("code 7");
        }

        @Test
        void a_code_above_128_is_a_signal() {
            Failure failure = failure(enqueue("shell", "kill -9 $$"));
            assertThat(failure.code()).isEqualTo(Failure.SIGNAL);
            assertThat(failure.message()).contains("signal 9");
        }

        @Test
        void an_oom_kill_names_the_limit() {
            Failure failure = failure(enqueue("oom", "true"));
            assertThat(failure.code()).isEqualTo(Failure.OUT_OF_MEMORY);
            assertThat(failure.message()).contains("64 MiB");
        }
    }

    @Nested
    @Tag("full")
    class Disruption {
        @Test
        void is_given_back_unspent_five_times_and_then_is_a_crash() {
            JobId id = enqueue("evicted", "exec sleep 60");
            Job job = bench.ended(id);
            assertThat(job.status()).isEqualTo(JobStatus.FAILED);
            assertThat(Objects.requireNonNull(job.failure()).code()).isEqualTo(Failure.DISRUPTED);
            assertThat(job.tally().run()).isEqualTo(6);
            assertThat(job.tally().attempts()).isEqualTo(1);
            assertThat(job.tally().crashes()).isEqualTo(1);
        }

        @Test
        void a_deleted_pod_is_a_crash() {
            JobId id = enqueue("shell", "exec sleep 60");
            bench.where.deletePod("jobs", podOf(id));
            assertThat(failure(id).code()).isEqualTo(Failure.LOST);
        }

        @Test
        void a_deleted_job_is_a_crash() {
            JobId id = enqueue("shell", "exec sleep 60");
            podOf(id);
            bench.where.deleteJob("jobs", "lh-" + id + "-r1");
            assertThat(failure(id).code()).isEqualTo(Failure.LOST);
        }
    }

    /** The pod of the job, once its container runs. */
    private String podOf(JobId id) {
        PodBench.await("a pod", () -> !bench.events(id, EventType.PROCESS_START).isEmpty());
        return bench.where.pods("jobs").stream()
                .map(pod -> pod.at("/metadata/name").asText())
                .filter(name -> name.contains(id.toString()))
                .findFirst()
                .orElseThrow();
    }

    @Nested
    @Tag("full")
    class Start {
        @Test
        void an_image_that_cannot_be_pulled_is_shown_at_once_and_fails_after_the_start_timeout() {
            JobId id = enqueue("image-pull", "true");
            PodBench.await(
                    "the reason",
                    () -> bench.events(id, EventType.CUSTOM).stream()
                            .anyMatch(event -> String.valueOf(event.payload()).contains("ImagePullBackOff")));
            assertThat(bench.job(id).state().terminal()).isFalse();
            Failure failure = failure(id);
            assertThat(failure.code()).isEqualTo(Failure.NOT_STARTED);
            assertThat(failure.message()).contains("ImagePullBackOff");
        }

        @Test
        void an_invalid_image_name_fails_at_once() {
            assertThat(failure(enqueue("invalid-name", "true")).message()).contains("InvalidImageName");
        }

        @Test
        void an_unschedulable_pod_is_shown_and_fails_after_the_start_timeout_without_its_job() {
            JobId id = enqueue("unschedulable", "true");
            assertThat(failure(id).message()).contains("nodes are available");
            PodBench.await(
                    "no Job",
                    () -> bench.where.jobs("jobs").stream()
                            .noneMatch(job -> job.at("/metadata/name").asText().contains(id.toString())));
        }

        @Test
        void an_exceeded_quota_gives_the_job_back_unspent_for_half_a_minute() {
            JobId id = enqueue("quota", "true");
            PodBench.await("the pause", () -> bench.job(id).failure() != null);
            Job job = bench.job(id);
            assertThat(Objects.requireNonNull(job.failure()).code()).isEqualTo(Failure.QUOTA);
            assertThat(Objects.requireNonNull(job.failure()).message()).contains("exceeded quota");
            assertThat(job.tally().attempts()).isZero();
            assertThat(job.times().runAt()).isAfter(job.times().updatedAt().plusSeconds(20));
        }

        @Test
        void a_missing_service_account_fails_with_the_text_of_the_event() {
            assertThat(failure(enqueue("no-account", "true")).message()).contains("serviceaccount \"none\" not found");
        }

        @Test
        void what_the_api_server_refuses_fails_with_its_message() {
            assertThat(failure(enqueue("forbidden", "true")).message())
                    .containsAnyOf("cannot create resource", "not found");
            assertThat(failure(enqueue("unprocessable", "true")).message()).contains("Invalid value");
        }
    }

    @Nested
    class Stopping {
        @Test
        void a_cancel_ends_the_pod_with_its_grace_period() {
            JobId id = enqueue("shell", "trap 'echo bye; exit 0' TERM; echo up; while :; do sleep 0.02; done");
            podOf(id);
            PodBench.await("output", () -> bench.output(id).contains("up"));
            worker.cancel(id, "not needed");
            Job job = bench.ended(id);
            assertThat(job.status()).isIn(JobStatus.CANCELLED, JobStatus.SUCCEEDED);
            assertThat(bench.output(id)).contains("bye");
            PodBench.await(
                    "no pod",
                    () -> bench.where.pods("jobs").stream()
                            .noneMatch(pod -> pod.at("/metadata/name").asText().contains(id.toString())));
        }
    }

    @Test
    void job_and_secret_are_deleted_after_the_outcome_is_stored() {
        JobId id = enqueue("shell", "true");
        bench.ended(id);
        PodBench.await(
                "no Job and no Secret",
                () -> bench.where.jobs("jobs").stream()
                                .noneMatch(
                                        job -> job.at("/metadata/name").asText().contains(id.toString()))
                        && bench.where.secrets("jobs").stream()
                                .noneMatch(
                                        one -> one.at("/metadata/name").asText().contains(id.toString())));
    }
}
