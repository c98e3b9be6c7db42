package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.Longhaul;
import dev.longhaul.access.Role;
import dev.longhaul.postgres.PostgresStore;
import dev.longhaul.testing.TestPostgres;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;

/** The numbers for autoscalers, over HTTP, on both stores. */
class ScalingOverHttpTest {
    /** No worker of the test serves these queues. */
    private static final String[] QUEUES = {"reports", "mail"};

    private static void enqueue(Doors doors, String queue, String more) {
        doors.start("test.echo", ",\"queue\":\"" + queue + "\",\"params\":{\"name\":\"a\",\"number\":1}" + more);
    }

    private static JsonNode scaling(Doors doors, String query) {
        return doors.api.get("/v1/scaling" + query).json();
    }

    private static void counts_due_and_running_jobs_of_the_named_queues(Doors doors) {
        for (String queue : QUEUES) {
            enqueue(doors, queue, "");
        }
        enqueue(doors, "mail", "");
        enqueue(doors, "mail", ",\"runAt\":\"2199-01-01T00:00:00Z\"");
        doors.await(doors.start("test.wait", ",\"params\":{}"), "running");

        JsonNode mail = scaling(doors, "?queues=mail");
        assertThat(mail.get("due").asInt()).isEqualTo(2);
        assertThat(mail.get("running").asInt()).isZero();
        assertThat(mail.get("workers").asInt()).isEqualTo(2);
        assertThat(mail.get("oldestDueSeconds").asDouble()).isPositive();
        assertThat(mail.get("queues").findValuesAsText("name")).containsExactly("mail");

        JsonNode two = scaling(doors, "?queues=mail,default&slotsPerWorker=3");
        assertThat(two.get("queues").findValuesAsText("name")).containsExactly("mail", "default");
        assertThat(two.get("running").asInt()).isEqualTo(1);
        assertThat(two.get("workers").asInt()).isEqualTo(1);

        JsonNode all = scaling(doors, "?slotsPerWorker=2&targetSeconds=0");
        assertThat(all.get("due").asInt()).isEqualTo(3);
        assertThat(all.get("workers").asInt()).isEqualTo(2);
        assertThat(scaling(doors, "?queues=mail&targetSeconds=86400")
                        .get("workers")
                        .asInt())
                .as("a single worker, because the jobs have hardly waited")
                .isEqualTo(1);
    }

    private static void needs_no_worker_for_idle_and_paused_queues(Doors doors) {
        JsonNode unknown = scaling(doors, "?queues=nothing");
        assertThat(unknown.get("workers").asInt()).isZero();
        assertThat(unknown.get("oldestDueSeconds").asDouble()).isZero();

        enqueue(doors, "mail", "");
        doors.api.post("/v1/queues/mail/pause", "{}");
        JsonNode paused = scaling(doors, "?queues=mail");
        assertThat(paused.get("workers").asInt()).isZero();
        assertThat(paused.at("/queues/0/paused").asBoolean()).isTrue();
        doors.api.post("/v1/queues/mail/resume", "{}");
        assertThat(scaling(doors, "?queues=mail").get("workers").asInt()).isEqualTo(1);
    }

    @Nested
    class InMemory {
        @Test
        void counts_due_and_running_jobs() {
            try (var doors = new Doors()) {
                counts_due_and_running_jobs_of_the_named_queues(doors);
            }
        }

        @Test
        void needs_no_worker_without_due_jobs() {
            try (var doors = new Doors()) {
                needs_no_worker_for_idle_and_paused_queues(doors);
            }
        }

        @Test
        void is_for_viewers_and_rejects_bad_parameters() {
            try (var doors = new Doors()) {
                Api viewer = doors.api.withKey(doors.key("keda", Role.VIEWER));
                assertThat(viewer.get("/v1/scaling").status()).isEqualTo(200);
                assertThat(doors.api
                                .withKey(doors.key("worker", Role.WORKER))
                                .get("/v1/scaling")
                                .status())
                        .isEqualTo(403);
                Api.Reply bad = viewer.get("/v1/scaling?queues=a,,b&slotsPerWorker=0&targetSeconds=x&more=1");
                assertThat(bad.status()).isEqualTo(400);
                assertThat(bad.body()).contains("queues", "slotsPerWorker", "targetSeconds", "more");
            }
        }
    }

    @Nested
    class OnPostgres {
        @Test
        void counts_and_pauses_alike() {
            try (var pool = TestPostgres.pool(TestPostgres.get().newDatabase(PostgresStore::migrate), 12);
                    var doors = new Doors(Longhaul.builder().postgres(pool))) {
                counts_due_and_running_jobs_of_the_named_queues(doors);
            }
            try (var pool = TestPostgres.pool(TestPostgres.get().newDatabase(PostgresStore::migrate), 12);
                    var doors = new Doors(Longhaul.builder().postgres(pool))) {
                needs_no_worker_for_idle_and_paused_queues(doors);
            }
        }
    }
}
