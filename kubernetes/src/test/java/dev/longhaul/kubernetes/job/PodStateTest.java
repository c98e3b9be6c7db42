package dev.longhaul.kubernetes.job;

import static org.assertj.core.api.Assertions.assertThat;

import io.fabric8.kubernetes.api.model.Pod;
import io.fabric8.kubernetes.api.model.PodBuilder;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import org.junit.jupiter.api.Test;

class PodStateTest {
    private static final Pod RUNNING = new PodBuilder()
            .withNewMetadata()
            .endMetadata()
            .withNewStatus()
            .withPhase("Running")
            .endStatus()
            .build();

    private static Job job(String type, String status, String reason) {
        return new JobBuilder()
                .withNewStatus()
                .addNewCondition()
                .withType(type)
                .withStatus(status)
                .withReason(reason)
                .withMessage("the message")
                .endCondition()
                .endStatus()
                .build();
    }

    private static PodState deleted(Job job) {
        return PodState.of(job, RUNNING, false, true);
    }

    @Test
    void of_a_deleted_pod_is_told_by_its_job() {
        assertThat(deleted(job("Complete", "True", ""))).isEqualTo(new PodState.Exited(0, "Completed", ""));
        assertThat(deleted(job("Failed", "True", "DeadlineExceeded"))).isEqualTo(new PodState.TimedOut("the message"));
        // Set before the pods are ended.
        assertThat(deleted(job("FailureTarget", "True", "DeadlineExceeded"))).isInstanceOf(PodState.TimedOut.class);
        assertThat(deleted(job("Failed", "True", "PodFailurePolicy"))).isInstanceOf(PodState.Disrupted.class);
        assertThat(deleted(job("Failed", "True", "BackoffLimitExceeded")))
                .isEqualTo(new PodState.Gone("the pod was deleted"));
        assertThat(deleted(job("Failed", "False", "DeadlineExceeded"))).isInstanceOf(PodState.Gone.class);
    }

    @Test
    void of_a_pod_that_exists_is_told_by_the_pod() {
        assertThat(PodState.of(job("Complete", "True", ""), RUNNING, false, false))
                .isInstanceOf(PodState.Waiting.class);
    }

    @Test
    void of_a_pod_that_was_not_reported_is_missing_whatever_its_job_tells() {
        assertThat(PodState.of(job("Complete", "True", ""), null, false, false)).isInstanceOf(PodState.Missing.class);
        assertThat(PodState.ofEnded(new JobBuilder().build())).isNull();
    }
}
