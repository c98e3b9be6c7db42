package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.job.DefinitionRef;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class StatsOverHttpTest {
    @RegisterExtension
    final Doors doors = new Doors();

    private void report(String worker, String version, String definition) {
        doors.longhaul()
                .store()
                .catalog()
                .seen(new WorkerReport(
                        worker,
                        "host",
                        1,
                        version,
                        List.of("default"),
                        Set.of(new DefinitionRef(definition, 1)),
                        1,
                        0,
                        false));
    }

    @Test
    void the_oldest_due_job_is_that_of_queues_that_are_not_paused() {
        doors.start("test.echo", ",\"queue\":\"stopped\",\"params\":{\"name\":\"a\",\"number\":1}");
        doors.api.post("/v1/queues/stopped/pause", "{}");
        JsonNode none = doors.api.get("/v1/stats").json();
        assertThat(none.get("oldestDueSeconds").asDouble()).isZero();
        assertThat(none.has("oldestDueQueue")).isFalse();
        assertThat(none.get("pausedQueues").asInt()).isEqualTo(1);

        doors.start("test.echo", ",\"queue\":\"unserved\",\"params\":{\"name\":\"a\",\"number\":1}");
        JsonNode one = doors.api.get("/v1/stats").json();
        assertThat(one.get("oldestDueQueue").asText()).isEqualTo("unserved");
    }

    @Test
    void a_deploy_is_a_version_that_follows_another_one_of_the_same_definition() {
        report("mail-1", "mail-7", "mail");
        report("gpu-1", "gpu-3", "gpu");
        assertThat(versions()).isEmpty();

        report("mail-2", "mail-8", "mail");
        report("mail-3", "mail-8", "mail");
        assertThat(versions()).containsExactly("mail-8");
    }

    private List<String> versions() {
        return doors.api.get("/v1/stats/timeseries").json().get("versions").findValuesAsText("version");
    }

    @Test
    void only_operators_see_the_type_of_an_exception() {
        doors.await(doors.start("test.fail", ",\"params\":{}"), "failed");
        // Over REST, so that the server's cache is cleared.
        Api admin = doors.api.withKey(key(doors.api, "admin"));
        Api operator = doors.api.withKey(key(admin, "operator"));
        Api viewer = doors.api.withKey(key(admin, "viewer"));
        assertThat(failure(operator).path("type").asText()).isEqualTo(IllegalStateException.class.getName());
        assertThat(failure(viewer).has("type")).isFalse();
        assertThat(failure(viewer).get("message").asText()).isEqualTo("no luck");
    }

    private static String key(Api as, String role) {
        return as.post("/v1/keys", "{\"name\":\"" + role + "\",\"role\":\"" + role + "\"}")
                .json()
                .get("secret")
                .asText();
    }

    private static JsonNode failure(Api as) {
        return as.get("/v1/stats/failures").json().at("/failures/0");
    }

    @Test
    void jobs_are_listed_counted_and_retried_by_the_time_at_which_they_ended() {
        doors.await(doors.start("test.fail", ",\"params\":{}"), "failed");
        Instant now = Instant.now();
        String within = "finishedAfter=" + now.minusSeconds(60) + "&finishedBefore=" + now.plusSeconds(60);
        assertThat(doors.api.get("/v1/jobs?" + within).json().get("jobs")).hasSize(1);
        assertThat(doors.api
                        .get("/v1/jobs?finishedBefore=" + now.minusSeconds(60))
                        .json()
                        .get("jobs"))
                .isEmpty();
        assertThat(doors.api.get("/v1/jobs/count?" + within).json().get("total").asInt())
                .isEqualTo(1);
        assertThat(retried("{\"finishedBefore\":\"" + now.minusSeconds(60) + "\"}"))
                .isZero();
        assertThat(retried("{\"finishedAfter\":\"" + now.minusSeconds(60) + "\"}"))
                .isEqualTo(1);
    }

    private int retried(String filter) {
        return doors.api.post("/v1/jobs/retry", filter).json().get("count").asInt();
    }
}
