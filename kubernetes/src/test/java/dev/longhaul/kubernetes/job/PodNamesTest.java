package dev.longhaul.kubernetes.job;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.job.JobId;
import io.fabric8.kubernetes.api.model.batch.v1.Job;
import io.fabric8.kubernetes.api.model.batch.v1.JobBuilder;
import org.junit.jupiter.api.Test;

class PodNamesTest {
    @Test
    void a_name_has_the_job_and_the_run() {
        JobId id = JobId.next();
        String name = PodNames.of(id, 12);
        assertThat(PodNames.jobId(name)).isEqualTo(id);
        assertThat(PodNames.run(name)).isEqualTo(12);
    }

    @Test
    void other_names_belong_to_no_run() {
        String id = JobId.next().toString();
        for (String name : new String[] {
            "backup", "lh-" + id, "lh-" + id + "-r0", "lh-" + id + "-r99999999999", "lh-" + "x".repeat(36) + "-r1"
        }) {
            assertThat(PodNames.run(name)).as(name).isZero();
            assertThat(PodNames.jobId(name)).as(name).isNull();
        }
    }

    @Test
    void a_number_of_followers_that_is_none_counts_as_one() {
        assertThat(PodNames.followers(followed("3"))).isEqualTo(3);
        assertThat(PodNames.followers(followed("many"))).isEqualTo(1);
        assertThat(PodNames.followers(followed("99999999999"))).isEqualTo(1);
        assertThat(PodNames.followers(
                        new JobBuilder().withNewMetadata().endMetadata().build()))
                .isEqualTo(1);
    }

    private static Job followed(String times) {
        return new JobBuilder()
                .withNewMetadata()
                .addToAnnotations(PodNames.FOLLOWERS, times)
                .endMetadata()
                .build();
    }
}
