package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.server.Api.Reply;
import dev.longhaul.server.access.Callers;
import java.net.URI;
import java.util.ArrayList;
import java.util.List;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class JobsOverHttpTest {
    private static final String ADA = ",\"params\":{\"name\":\"Ada\",\"number\":9007199254740993}";

    @RegisterExtension
    final Doors doors = new Doors();

    @Nested
    class Starting {
        @Test
        void answers_202_with_the_job_and_where_it_is() {
            Reply reply = doors.api.post("/v1/jobs", "{\"definitionKey\":\"test.echo\"" + ADA + ",\"hold\":true}");
            assertThat(reply.status()).isEqualTo(202);
            assertThat(reply.json().get("status").asText()).isEqualTo("created");
            assertThat(reply.header("location"))
                    .isEqualTo("/v1/jobs/" + reply.json().get("jobId").asText());
        }

        @Test
        void keeps_numbers_exact_through_params_and_result() {
            JsonNode job = doors.await(doors.start("test.echo", ADA), "succeeded");
            assertThat(job.get("result").get("number").asLong()).isEqualTo(9007199254740993L);
            assertThat(job.get("params").get("number").asLong()).isEqualTo(9007199254740993L);
        }

        @Test
        void takes_every_field() {
            String id = doors.start("test.echo", ADA + """
                    ,"definitionVersion":1,"name":"n","queue":"q","priority":7,"runAt":"2100-01-01T00:00:00+02:00",
                    "maxAttempts":9,"timeoutSeconds":60,"idempotencyKey":"k","correlationId":"c","labels":{"a":"b"}""");
            JsonNode job = doors.api.get("/v1/jobs/" + id + "?view=full").json();
            assertThat(job.get("status").asText()).isEqualTo("scheduled");
            assertThat(job.get("runAt").asText()).isEqualTo("2099-12-31T22:00:00Z");
            assertThat(job.get("name").asText()
                            + job.get("queue").asText()
                            + job.get("priority")
                            + job.get("maxAttempts")
                            + job.get("timeoutSeconds")
                            + job.get("correlationId").asText()
                            + job.get("labels"))
                    .isEqualTo("nq7960c{\"a\":\"b\"}");
            assertThat(job.get("createdBy").asText()).isEqualTo("local");
        }

        @Test
        void the_same_key_returns_the_same_job_in_body_and_header() {
            String first = doors.start("test.echo", ADA + ",\"idempotencyKey\":\"once\"");
            assertThat(doors.start("test.echo", ADA + ",\"idempotencyKey\":\"once\",\"priority\":5"))
                    .isEqualTo(first);
            Reply byHeader = doors.api
                    .with("Idempotency-Key", "once")
                    .post("/v1/jobs", "{\"definitionKey\":\"test.echo\"" + ADA + "}");
            assertThat(byHeader.status()).isEqualTo(202);
            assertThat(byHeader.json().get("jobId").asText()).isEqualTo(first);
            Reply differing = doors.api
                    .with("Idempotency-Key", "other")
                    .post("/v1/jobs", "{\"definitionKey\":\"test.echo\",\"idempotencyKey\":\"once\"" + ADA + "}");
            assertThat(differing.status()).isEqualTo(400);
            assertThat(differing.body()).contains("Idempotency-Key header, other");
        }

        @Test
        void reports_all_problems_at_once_and_stores_nothing() {
            Reply reply = doors.api.post("/v1/jobs", """
                    {"definitionKey":"test.echo","params":{"name":5},"priority":"high","runAt":"tomorrow","colour":1,
                     "labels":{"a":1}}""");
            assertThat(reply.status()).isEqualTo(400);
            assertThat(fields(reply))
                    .contains("priority", "runAt", "colour", "labels.a", "params.name", "params.number");
            assertThat(doors.api.get("/v1/jobs").json().get("jobs")).isEmpty();
        }

        @Test
        void takes_no_query_parameters() {
            Reply reply =
                    doors.api.post("/v1/jobs?foo=1", "{\"definitionKey\":\"test.echo\"" + ADA + ",\"hold\":true}");
            assertThat(reply.status()).isEqualTo(400);
            assertThat(fields(reply)).containsExactly("foo");
            assertThat(doors.api.get("/v1/jobs").json().get("jobs")).isEmpty();
        }

        @Test
        void names_definitions_that_are_near() {
            Reply reply = doors.api.post("/v1/jobs", "{\"definitionKey\":\"test.ecko\"" + ADA + "}");
            assertThat(reply.status()).isEqualTo(400);
            assertThat(reply.json().get("code").asText()).isEqualTo("unknown_definition");
            assertThat(reply.json().get("detail").asText()).contains("test.echo");
        }

        @Test
        void requires_json() {
            assertThat(doors.api
                            .with("Content-Type", "text/plain")
                            .post("/v1/jobs", "{}")
                            .status())
                    .isEqualTo(415);
            assertThat(doors.api
                            .with("Content-Type", "application/merge-patch+json")
                            .post("/v1/jobs", "{}")
                            .status())
                    .isEqualTo(415);
            assertThat(doors.api
                            .with("Content-Type", "application/json; charset=iso-8859-1")
                            .post("/v1/jobs", "{}")
                            .status())
                    .isEqualTo(415);
        }
    }

    @Nested
    class Batches {
        @Test
        void are_stored_in_order() {
            String jobs = IntStream.range(0, 1000)
                    .mapToObj(
                            i -> "{\"definitionKey\":\"test.echo\",\"hold\":true,\"params\":{\"name\":\"a\",\"number\":"
                                    + i + "}}")
                    .collect(Collectors.joining(","));
            Reply reply = doors.api.post("/v1/jobs/batch", "{\"jobs\":[" + jobs + "]}");
            assertThat(reply.status()).isEqualTo(202);
            JsonNode last = reply.json().get("jobs").get(999);
            assertThat(doors.api
                            .get("/v1/jobs/" + last.get("jobId").asText() + "?view=full")
                            .json()
                            .get("params")
                            .get("number")
                            .asInt())
                    .isEqualTo(999);
        }

        @Test
        void are_stored_whole_or_not_at_all_and_problems_name_their_index() {
            Reply reply = doors.api.post("/v1/jobs/batch", """
                    {"jobs":[{"definitionKey":"test.echo","params":{"name":"a","number":1}},
                             {"definitionKey":"test.echo","params":{"name":"a"}},
                             {"definitionKey":"test.nope"},
                             {"definitionKey":"test.echo","params":{"name":"a","number":1},"x":1}]}""");
            assertThat(reply.status()).isEqualTo(400);
            assertThat(fields(reply)).contains("jobs[1].params.number", "jobs[2].definitionKey", "jobs[3].x");
            assertThat(doors.api.get("/v1/jobs").json().get("jobs")).isEmpty();
        }

        @Test
        void have_at_most_a_thousand_jobs() {
            String jobs = "{\"definitionKey\":\"test.echo\"},".repeat(1001);
            Reply reply = doors.api.post("/v1/jobs/batch", "{\"jobs\":[" + jobs.substring(0, jobs.length() - 1) + "]}");
            assertThat(reply.status()).isEqualTo(400);
            assertThat(reply.body()).contains("at most 1000");
        }
    }

    @Nested
    class Reading {
        @Test
        void shows_runs_status_log_and_events() {
            String id = doors.start("test.wait", "");
            doors.await(id, "running");
            doors.goOn.countDown();
            doors.await(id, "succeeded");
            JsonNode runs = doors.api.get("/v1/jobs/" + id + "/runs").json().get("runs");
            assertThat(runs).hasSize(1);
            assertThat(runs.get(0).get("status").asText()).isEqualTo("succeeded");
            assertThat(doors.api.get("/v1/jobs/" + id + "/status").json().get("latestRun"))
                    .isEqualTo(runs.get(0));
            assertThat(doors.api.get("/v1/jobs/" + id + "/log?run=1&tail=10").body())
                    .isEqualTo("waiting\n");
            assertThat(doors.api.get("/v1/jobs/" + id + "/log?timestamps=true").body())
                    .matches("20..-.*Z waiting\n");
            JsonNode events = doors.api.get("/v1/jobs/" + id + "/events").json().get("events");
            assertThat(events.findValuesAsText("type"))
                    .startsWith("created", "started")
                    .endsWith("succeeded");
            JsonNode logs = doors.api
                    .get("/v1/jobs/" + id + "/events?types=log&from=1&limit=1")
                    .json();
            assertThat(logs.get("events").findValuesAsText("type")).containsExactly("log");
        }

        @Test
        void shows_when_a_job_became_due() {
            String later = doors.start("test.echo", ADA + ",\"delaySeconds\":3600");
            assertThat(doors.api.get("/v1/jobs/" + later).json().has("queuedAt"))
                    .isFalse();
            JsonNode due = doors.api.post("/v1/jobs/" + later + "/runNow", null).json();
            assertThat(due.get("queuedAt").asText())
                    .isEqualTo(due.get("runAt").asText())
                    .isGreaterThanOrEqualTo(due.get("createdAt").asText());
            assertThat(doors.await(later, "succeeded").get("queuedAt")).isEqualTo(due.get("queuedAt"));
            String held = doors.start("test.echo", ADA + ",\"hold\":true");
            assertThat(doors.api.get("/v1/jobs/" + held).json().has("queuedAt")).isFalse();
            JsonNode cancelled =
                    doors.api.post("/v1/jobs/" + held + "/cancel", null).json();
            assertThat(cancelled.has("queuedAt")).isFalse();
        }

        @Test
        void hides_secrets_everywhere() {
            String id = doors.start("test.login", ",\"params\":{\"user\":\"ada\",\"password\":\"s3cr3t\"}");
            JsonNode job = doors.await(id, "succeeded");
            assertThat(job.get("params").get("password").asText()).isEqualTo("***");
            assertThat(job.get("result").get("password").asText()).isEqualTo("***");
            Reply refused = doors.api.post(
                    "/v1/jobs", "{\"definitionKey\":\"test.login\",\"params\":{\"user\":1,\"password\":\"s3cr3t\"}}");
            assertThat(refused.status()).isEqualTo(400);
            assertThat(refused.body()).doesNotContain("s3cr3t");
        }

        @Test
        void knows_no_job_by_an_unknown_or_malformed_id() {
            for (String id : List.of("01a1e2a1-b640-7000-9352-abfc7fb895b5", "nonsense", "%27%20or%201=1")) {
                assertThat(doors.api.get("/v1/jobs/" + id).status()).as(id).isEqualTo(404);
            }
        }

        @Test
        void lists_by_filter_in_pages() {
            var ids = new ArrayList<String>();
            for (int i = 0; i < 5; i++) {
                ids.add(doors.start("test.echo", ADA + ",\"hold\":true,\"labels\":{\"n\":\"" + i % 2 + "\"}"));
            }
            doors.start("test.wait", ",\"hold\":true");
            var seen = new ArrayList<String>();
            String cursor = "";
            do {
                JsonNode page = doors.api
                        .get("/v1/jobs?definitionKey=test.echo&status=created,queued&order=oldest&limit=2" + cursor)
                        .json();
                page.get("jobs").forEach(job -> seen.add(job.get("jobId").asText()));
                cursor = page.get("nextCursor").isNull()
                        ? ""
                        : "&cursor=" + page.get("nextCursor").asText();
            } while (!cursor.isEmpty());
            assertThat(seen).isEqualTo(ids);
        }

        @Test
        void filters_by_labels_in_the_two_forms_that_are_described() {
            doors.start("test.echo", ADA + ",\"hold\":true,\"labels\":{\"team\":\"a\",\"x.y\":\"1\"}");
            doors.start("test.echo", ADA + ",\"hold\":true,\"labels\":{\"team\":\"b\"}");
            for (String filter : List.of("label.team=a", "label%5Bteam%5D=a", "label.team=a&label%5Bx.y%5D=1")) {
                assertThat(doors.api.get("/v1/jobs?" + filter).json().get("jobs"))
                        .as(filter)
                        .hasSize(1);
            }
            Reply twice = doors.api.get("/v1/jobs?label.team=a&label%5Bteam%5D=b");
            assertThat(twice.status()).isEqualTo(400);
            for (String path : List.of("/v1/jobs", "/v1/jobs/count")) {
                JsonNode label =
                        OpenApi.DOCUMENT.get("paths").get(path).at("/get/parameters").findParents("name").stream()
                                .filter(one -> one.get("name").asText().equals("label"))
                                .findFirst()
                                .orElseThrow();
                assertThat(label.get("style").asText()).as(path).isEqualTo("deepObject");
            }
        }

        @Test
        void has_no_log_of_a_run_that_never_was() {
            String id = doors.start("test.echo", ADA);
            doors.await(id, "succeeded");
            assertThat(doors.api.get("/v1/jobs/" + id + "/log?run=1").status()).isEqualTo(200);
            Reply unknown = doors.api.get("/v1/jobs/" + id + "/log?run=2");
            assertThat(unknown.status()).isEqualTo(404);
            assertThat(unknown.json().get("detail").asText()).contains("run 2", "1 run");
        }

        @Test
        void gives_the_address_of_a_log_by_which_clients_reach_the_server() {
            String id = doors.start("test.echo", ADA);
            doors.await(id, "succeeded");
            String path = "/v1/jobs/" + id + "/log?run=1";
            assertThat(logUrl(doors.api, id)).isEqualTo(path);
            var callers =
                    new Callers(URI.create("https://jobs.example.com/longhaul/"), List.of("127.0.0.1"), List.of());
            try (var behindProxy = LonghaulServer.start(doors.longhaul(), Doors.AT_ONCE.withCallers(callers))) {
                assertThat(logUrl(new Api(behindProxy.port()), id))
                        .isEqualTo("https://jobs.example.com/longhaul" + path);
            }
        }

        private String logUrl(Api api, String id) {
            return api.get("/v1/jobs/" + id + "/status")
                    .json()
                    .get("latestRun")
                    .get("logUrl")
                    .asText();
        }

        @Test
        void refuses_bad_parameters_all_at_once() {
            Reply reply =
                    doors.api.get("/v1/jobs?status=happy&limit=0&order=sideways&cursor=x&colour=red&createdAfter=1");
            assertThat(reply.status()).isEqualTo(400);
            assertThat(fields(reply))
                    .containsExactlyInAnyOrder("status", "limit", "order", "cursor", "colour", "createdAfter");
        }
    }

    @Nested
    class Changing {
        @Test
        void cancels_a_waiting_job_at_once_and_a_running_one_in_the_end() {
            String waiting = doors.start("test.wait", ",\"hold\":true");
            Reply cancelled = doors.api.post("/v1/jobs/" + waiting + "/cancel", "{\"reason\":\"changed my mind\"}");
            assertThat(cancelled.status()).isEqualTo(202);
            assertThat(cancelled.json().get("status").asText()).isEqualTo("cancelled");
            String running = doors.start("test.wait", "");
            doors.await(running, "running");
            Reply deleted = doors.api.send("DELETE", "/v1/jobs/" + running, null);
            assertThat(deleted.status()).isEqualTo(200);
            assertThat(deleted.json().get("status").asText()).isEqualTo("cancelling");
        }

        @Test
        void retries_runs_now_and_releases() {
            String failed = doors.start("test.fail", "");
            assertThat(doors.await(failed, "failed").get("error").get("message").asText())
                    .isEqualTo("no luck");
            assertThat(doors.api.post("/v1/jobs/" + failed + "/retry", null).status())
                    .isEqualTo(200);
            String later = doors.start("test.echo", ADA + ",\"delaySeconds\":3600");
            assertThat(doors.api.post("/v1/jobs/" + later + "/runNow", null).status())
                    .isEqualTo(202);
            doors.await(later, "succeeded");
            String held = doors.start("test.echo", ADA + ",\"hold\":true");
            assertThat(doors.api.post("/v1/jobs/" + held + "/release", null).status())
                    .isEqualTo(200);
            doors.await(held, "succeeded");
        }

        @Test
        void says_which_state_forbids_it() {
            String id = doors.start("test.echo", ADA);
            doors.await(id, "succeeded");
            Reply reply = doors.api.post("/v1/jobs/" + id + "/retry", null);
            assertThat(reply.status()).isEqualTo(409);
            assertThat(reply.json().get("code").asText()).isEqualTo("failed_precondition");
            assertThat(reply.json().get("detail").asText()).contains("is succeeded");
        }

        @Test
        void edits_only_what_is_given() {
            String id = doors.start("test.echo", ADA + ",\"delaySeconds\":3600,\"name\":\"old\"");
            JsonNode patched = doors.api
                    .send("PATCH", "/v1/jobs/" + id, "{\"priority\":3}")
                    .json();
            assertThat(patched.get("priority").asInt()).isEqualTo(3);
            assertThat(patched.get("name").asText()).isEqualTo("old");
            JsonNode put = doors.api
                    .send("PUT", "/v1/jobs/" + id, "{\"name\":\"new\",\"params\":{\"name\":\"Bob\",\"number\":1}}")
                    .json();
            assertThat(put.get("name").asText() + put.get("priority")).isEqualTo("new3");
            Reply bad = doors.api.send("PATCH", "/v1/jobs/" + id, "{\"params\":{\"name\":1}}");
            assertThat(bad.status()).isEqualTo(400);
        }

        @Test
        void cancels_and_retries_by_filter_but_never_by_none() {
            for (int i = 0; i < 3; i++) {
                doors.start("test.wait", ",\"hold\":true,\"queue\":\"q\"");
            }
            doors.start("test.wait", ",\"hold\":true");
            assertThat(doors.api.post("/v1/jobs/cancel", "{}").status()).isEqualTo(400);
            JsonNode some = doors.api
                    .post("/v1/jobs/cancel", "{\"queue\":\"q\",\"limit\":2}")
                    .json();
            assertThat(some.get("count").asInt()).isEqualTo(2);
            assertThat(some.get("more").asBoolean()).isTrue();
            assertThat(doors.api
                            .post("/v1/jobs/cancel", "{\"queue\":\"q\"}")
                            .json()
                            .get("count")
                            .asInt())
                    .isEqualTo(1);
            assertThat(doors.api
                            .post("/v1/jobs/retry", "{\"status\":\"cancelled\",\"queue\":\"q\"}")
                            .json()
                            .get("count")
                            .asInt())
                    .isEqualTo(3);
            assertThat(doors.api
                            .post("/v1/jobs/retry", "{\"status\":\"running\"}")
                            .status())
                    .isEqualTo(400);
        }
    }

    @Nested
    class Cluster {
        @Test
        void queues_are_paused_resumed_and_bounded() {
            assertThat(doors.api
                            .post("/v1/queues/default/pause", "{\"note\":\"move\"}")
                            .json()
                            .get("pause")
                            .get("note")
                            .asText())
                    .isEqualTo("move");
            String id = doors.start("test.echo", ADA);
            JsonNode queue = doors.api.get("/v1/queues").json().get("queues").get(0);
            assertThat(queue.get("paused").asBoolean()).isTrue();
            assertThat(queue.get("counts").get("queued").asInt()).isEqualTo(1);
            assertThat(doors.api
                            .send("PUT", "/v1/queues/default", "{\"maxDepth\":1}")
                            .status())
                    .isEqualTo(200);
            Reply full = doors.api.post("/v1/jobs", "{\"definitionKey\":\"test.echo\"" + ADA + "}");
            assertThat(full.status()).isEqualTo(429);
            assertThat(full.header("retry-after")).isNotEmpty();
            doors.api.post("/v1/queues/default/resume", null);
            doors.await(id, "succeeded");
        }

        @Test
        void a_name_that_no_queue_can_have_is_refused() {
            Reply reply = doors.api.send("PUT", "/v1/queues/a%20b", "{}");
            assertThat(reply.status()).isEqualTo(400);
            assertThat(reply.body()).contains("\"queue\"");
        }

        @Test
        void definitions_are_known_and_declared() {
            assertThat(doors.api
                            .get("/v1/definitions/test.echo")
                            .json()
                            .get("definitions")
                            .get(0)
                            .get("paramsSchema")
                            .get("properties")
                            .has("name"))
                    .isTrue();
            Reply declared = doors.api.send(
                    "PUT",
                    "/v1/definitions/video.cut@3",
                    "{\"paramsSchema\":{\"type\":\"object\",\"required\":[\"url\"]},\"queue\":\"video\",\"maxAttempts\":7}");
            assertThat(declared.status()).isEqualTo(200);
            assertThat(doors.api
                            .post("/v1/jobs", "{\"definitionKey\":\"video.cut\",\"params\":{}}")
                            .status())
                    .isEqualTo(400);
            String id = doors.start("video.cut", ",\"params\":{\"url\":\"x\"}");
            JsonNode job = doors.api.get("/v1/jobs/" + id).json();
            assertThat(job.get("queue").asText() + job.get("definitionVersion") + job.get("maxAttempts"))
                    .isEqualTo("video37");
            assertThat(doors.api.send("PUT", "/v1/definitions/video.cut", "{}").status())
                    .isEqualTo(400);
        }

        @Test
        void workers_and_numbers_are_shown() {
            JsonNode worker = doors.api.get("/v1/workers").json().get("workers").get(0);
            assertThat(worker.get("state").asText()).isEqualTo("active");
            assertThat(worker.get("slots").asInt()).isPositive();
            assertThat(worker.get("definitions").toString()).contains("test.echo@1");
            var catalog = doors.longhaul().store().catalog();
            catalog.seen(new WorkerReport("w9", "h", 1, "1", List.of(), Set.of(), 4, 2, true));
            catalog.gone("w9");
            assertThat(doors.api.get("/v1/workers").json().get("workers")).anySatisfy(gone -> {
                assertThat(gone.get("state").asText()).isEqualTo("gone");
                assertThat(gone.get("running").asInt()).isZero();
            });
            doors.await(doors.start("test.echo", ADA), "succeeded");
            JsonNode stats = doors.api.get("/v1/stats").json();
            assertThat(stats.get("counts").get("succeeded").asInt()).isEqualTo(1);
            assertThat(stats.get("workers").asInt()).isEqualTo(1);
        }

        @Test
        void a_tick_reports_what_it_did() {
            assertThat(doors.api.post("/v1/tick", null).json().get("executed")).isEmpty();
            assertThat(doors.api.post("/v1/tick", "{\"max\":0}").status()).isEqualTo(400);
        }
    }

    private static List<String> fields(Reply reply) {
        return reply.json().get("errors").findValuesAsText("field");
    }
}
