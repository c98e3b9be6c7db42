package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import dev.longhaul.server.Api.Reply;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Nested;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.extension.RegisterExtension;

class SchedulesOverHttpTest {
    private static final String ADA = "\"params\":{\"name\":\"Ada\",\"number\":9007199254740993}";

    @RegisterExtension
    final Doors doors = new Doors();

    private JsonNode created(String key, String more) {
        Reply reply = doors.api.post(
                "/v1/schedules", "{\"key\":\"" + key + "\",\"definitionKey\":\"test.echo\"," + ADA + "," + more + "}");
        assertThat(reply.status()).as(reply.body()).isEqualTo(201);
        assertThat(reply.header("location")).isEqualTo("/v1/schedules/" + key);
        return reply.json();
    }

    private JsonNode edited(String key, String body) {
        Reply reply = doors.api.send("PATCH", "/v1/schedules/" + key, body);
        assertThat(reply.status()).as(reply.body()).isEqualTo(200);
        return reply.json();
    }

    private JsonNode got(String key) {
        return doors.api.get("/v1/schedules/" + key).json();
    }

    private static List<String> problems(Reply reply) {
        assertThat(reply.status()).as(reply.body()).isEqualTo(400);
        var problems = new ArrayList<String>();
        reply.json()
                .get("errors")
                .forEach(error -> problems.add(
                        error.get("field").asText() + "=" + error.get("value").asText()));
        return problems;
    }

    @Test
    void warn_while_no_active_worker_runs_their_jobs() {
        Counting.await(
                "the worker is known",
                () -> doors.longhaul().store().catalog().workers().size() == 1);
        doors.api.send("PUT", "/v1/definitions/old.report@1", "{\"concurrencyLimit\":3}");
        created("known", "\"everySeconds\":3600");
        Reply orphan = doors.api.post(
                "/v1/schedules",
                "{\"key\":\"orphan\",\"definitionKey\":\"old.report\",\"everySeconds\":3600,\"params\":{}}");
        assertThat(orphan.status()).as(orphan.body()).isEqualTo(201);
        String warning =
                "The active worker does not run old.report@1. Deploy its code to a worker, or start another one.";
        JsonNode listed = doors.api.get("/v1/schedules").json().get("schedules");
        assertThat(listed.get(0).has("warning")).isFalse();
        assertThat(listed.get(1).path("warning").asText()).isEqualTo(warning);
        assertThat(got("orphan").path("warning").asText()).isEqualTo(warning);
        doors.api.post("/v1/schedules/orphan/pause", "{}");
        assertThat(got("orphan").has("warning"))
                .as("one that is paused fires no jobs")
                .isFalse();
    }

    @Nested
    class Making {
        @Test
        void answers_201_with_all_of_it() {
            JsonNode schedule = created("nightly", """
                    "cron":"0 3 * * *","timeZone":"Europe/Berlin","dst":"skip","name":"Nightly","queue":"q","priority":7,
                    "labels":{"a":"b"},"maxAttempts":4,"startAt":"2100-01-01T00:00:00Z","endAt":"2101-01-01T00:00:00Z",
                    "maxRuns":9,"jitterSeconds":30,"catchUp":{"policy":"all","max":5,"windowSeconds":600},
                    "overlap":"queue_one\"""");
            assertThat(schedule.get("nextRunAt").asText()).isEqualTo("2100-01-01T02:00:00Z");
            assertThat(schedule.get("description").asText()).isEqualTo("At 03:00 every day");
            assertThat(schedule.get("dst").asText()).isEqualTo("skip");
            assertThat(schedule.get("catchUp").toString())
                    .isEqualTo("{\"policy\":\"all\",\"max\":5,\"windowSeconds\":600}");
            assertThat(schedule.get("overlap").asText()).isEqualTo("queue_one");
            assertThat(schedule.get("params").get("number").asLong()).isEqualTo(9007199254740993L);
            assertThat(schedule.get("enabled").asBoolean()).isTrue();
            assertThat(schedule.get("queue").asText()
                            + schedule.get("priority")
                            + schedule.get("maxAttempts")
                            + schedule.get("maxRuns")
                            + schedule.get("jitterSeconds")
                            + schedule.get("labels"))
                    .isEqualTo("q74930{\"a\":\"b\"}");
        }

        @Test
        void defaults_to_enabled_once_allow_and_utc() {
            JsonNode schedule = created("plain", "\"cron\":\"@daily\"");
            assertThat(schedule.get("timeZone").asText()).isEqualTo("UTC");
            assertThat(schedule.get("catchUp").get("policy").asText()).isEqualTo("once");
            assertThat(schedule.get("overlap").asText()).isEqualTo("allow");
            assertThat(schedule.get("queue").asText()).isEqualTo("default");
        }

        @Test
        void may_start_paused() {
            JsonNode schedule = created("later", "\"everySeconds\":60,\"enabled\":false");
            assertThat(schedule.has("nextRunAt")).isFalse();
            assertThat(schedule.get("pause").get("by").asText()).isEqualTo("local");
            assertThat(doors.api.post("/v1/schedules/later/resume", null).json().has("nextRunAt"))
                    .isTrue();
        }

        @Test
        void is_refused_when_the_key_is_taken() {
            created("a", "\"everySeconds\":60");
            Reply again = doors.api.post(
                    "/v1/schedules", "{\"key\":\"a\",\"definitionKey\":\"test.echo\"," + ADA + ",\"everySeconds\":60}");
            assertThat(again.status()).isEqualTo(409);
        }

        @Test
        void reports_all_problems_at_once_and_stores_nothing() {
            assertThat(problems(doors.api.post("/v1/schedules", """
                            {"key":"a b","definitionKey":"test.echo","params":{"name":5},"cron":"0 25 * * *","timeZone":"Mars/Base",
                             "priority":9999,"maxRuns":0,"colour":1,"overlap":"maybe","catchUp":{"policy":"some","max":0}}""")))
                    .contains(
                            "key=a b",
                            "priority=9999",
                            "hour=25",
                            "timeZone=Mars/Base",
                            "maxRuns=0",
                            "colour=unknown field",
                            "overlap=maybe",
                            "catchUp.policy=some",
                            "catchUp.max=0");
            assertThat(doors.api.get("/v1/schedules").json().get("schedules")).isEmpty();
        }

        @Test
        void refuses_impossible_timetables() {
            assertThat(problems(wanted("\"cron\":\"0 0 30 2 *\"")).toString()).contains("0 0 30 2 *");
            assertThat(problems(wanted("\"cron\":\"" + "1".repeat(10_000) + "\"")))
                    .hasSize(1);
            assertThat(
                            problems(
                                    wanted(
                                            "\"cron\":\"@daily\",\"startAt\":\"2100-01-02T00:00:00Z\",\"endAt\":\"2100-01-01T00:00:00Z\"")))
                    .containsExactly("endAt=2100-01-01T00:00:00Z");
            assertThat(problems(wanted("\"cron\":\"@daily\",\"everySeconds\":5")))
                    .containsExactly("cron=and others");
            assertThat(problems(wanted("\"priority\":1"))).containsExactly("cron=none");
            assertThat(problems(wanted("\"at\":[\"2001-01-01T00:00:00Z\"]"))).isNotEmpty();
            assertThat(problems(wanted("\"at\":[\"2100-01-01T00:00:00Z\",\"soon\",5]")))
                    .containsExactlyInAnyOrder("at[1]=soon", "at[2]=5");
            assertThat(problems(doors.api.post(
                            "/v1/schedules", "{\"key\":\"x\",\"definitionKey\":\"no.such\",\"cron\":\"@daily\"}")))
                    .containsExactly("definitionKey=no.such");
            assertThat(problems(doors.api.post("/v1/schedules", "{}"))).contains("key=missing");
            assertThat(doors.api.get("/v1/schedules").json().get("schedules")).isEmpty();
        }

        private Reply wanted(String more) {
            return doors.api.post(
                    "/v1/schedules", "{\"key\":\"x\",\"definitionKey\":\"test.echo\"," + ADA + "," + more + "}");
        }
    }

    @Nested
    class Changing {
        @Test
        void changes_what_is_given_and_nothing_else() {
            JsonNode before = created(
                    "a", "\"cron\":\"0 3 * * *\",\"timeZone\":\"Asia/Kathmandu\",\"endAt\":\"2100-01-01T00:00:00Z\"");
            JsonNode after = edited("a", "{\"cron\":\"0 4 * * *\",\"catchUp\":{\"max\":3}}");
            assertThat(after.get("timeZone").asText()).isEqualTo("Asia/Kathmandu");
            assertThat(after.get("endAt")).isEqualTo(before.get("endAt"));
            assertThat(after.get("params")).isEqualTo(before.get("params"));
            assertThat(after.get("catchUp").toString())
                    .isEqualTo("{\"policy\":\"once\",\"max\":3,\"windowSeconds\":86400}");
            assertThat(after.get("cron").asText()).isEqualTo("0 4 * * *");
        }

        @Test
        void null_removes_a_limit() {
            created("a", "\"cron\":\"@daily\",\"endAt\":\"2100-01-01T00:00:00Z\",\"maxRuns\":3,\"name\":\"n\"");
            JsonNode after = edited("a", "{\"endAt\":null,\"maxRuns\":null,\"name\":null}");
            assertThat(after.has("endAt") || after.has("maxRuns") || after.has("name"))
                    .isFalse();
        }

        @Test
        void changes_from_one_kind_of_time_to_another() {
            created("a", "\"cron\":\"@daily\",\"timeZone\":\"Asia/Kathmandu\"");
            JsonNode every = edited("a", "{\"everySeconds\":3600}");
            assertThat(every.has("cron") || every.has("timeZone")).isFalse();
            assertThat(every.get("everySeconds").asInt()).isEqualTo(3600);
            JsonNode at = edited("a", "{\"at\":[\"2100-01-01T00:00:00Z\"]}");
            assertThat(at.get("nextRunAt").asText()).isEqualTo("2100-01-01T00:00:00Z");
            JsonNode cron = edited("a", "{\"cron\":\"@hourly\"}");
            assertThat(cron.has("at")).isFalse();
            assertThat(cron.get("timeZone").asText()).isEqualTo("UTC");
        }

        @Test
        void pauses_with_a_note_and_resumes() {
            created("a", "\"everySeconds\":60");
            JsonNode paused = doors.api
                    .post("/v1/schedules/a/pause", "{\"note\":\"quarter end\"}")
                    .json();
            assertThat(paused.get("enabled").asBoolean()).isFalse();
            assertThat(paused.get("pause").get("note").asText()).isEqualTo("quarter end");
            assertThat(edited("a", "{\"enabled\":true}").has("pause")).isFalse();
            JsonNode both = edited("a", "{\"enabled\":false,\"cron\":\"* * * * * *\"}");
            assertThat(both.get("enabled").asBoolean()).isFalse();
            assertThat(both.get("cron").asText()).isEqualTo("* * * * * *");
            assertThat(both.path("lastJobId").isTextual()).isFalse();
        }

        @Test
        void deletes() {
            created("a", "\"everySeconds\":60");
            assertThat(doors.api.send("DELETE", "/v1/schedules/a", null).status())
                    .isEqualTo(204);
            assertThat(doors.api.get("/v1/schedules/a").status()).isEqualTo(404);
            assertThat(doors.api.send("DELETE", "/v1/schedules/a", null).status())
                    .isEqualTo(404);
        }

        @Test
        void is_audited() {
            created("a", "\"everySeconds\":60");
            edited("a", "{\"priority\":3}");
            doors.api.post("/v1/schedules/a/pause", null);
            doors.api.post("/v1/schedules/a/resume", null);
            doors.api.post("/v1/schedules/a/trigger", null);
            doors.api.send("DELETE", "/v1/schedules/a", null);
            var actions = new ArrayList<String>();
            doors.api
                    .get("/v1/audit")
                    .json()
                    .get("entries")
                    .forEach(entry -> actions.add(entry.get("action").asText() + " "
                            + entry.get("subject").asText()));
            assertThat(actions)
                    .containsExactly(
                            "schedule.delete a",
                            "schedule.trigger a",
                            "schedule.resume a",
                            "schedule.pause a",
                            "schedule.edit a",
                            "schedule.create a");
        }
    }

    @Nested
    class Firing {
        @Test
        void creates_jobs_with_the_schedule_and_its_fire_time() {
            Instant soon = Instant.now().plusSeconds(1).truncatedTo(ChronoUnit.MICROS);
            created("soon", "\"at\":[\"" + soon + "\"]");
            JsonNode fire = fired("soon");
            assertThat(fire.get("fireAt").asText()).isEqualTo(soon.toString());
            assertThat(fire.get("cause").asText()).isEqualTo("scheduled");
            JsonNode job = doors.await(fire.get("jobId").asText(), "succeeded");
            assertThat(job.get("schedule").toString()).isEqualTo("{\"key\":\"soon\",\"fireAt\":\"" + soon + "\"}");
            assertThat(got("soon").get("runs").asInt()).isEqualTo(1);
            assertThat(got("soon").get("lastJobId")).isEqualTo(fire.get("jobId"));
        }

        private JsonNode fired(String key) {
            Instant until = Instant.now().plus(Duration.ofSeconds(20));
            while (Instant.now().isBefore(until)) {
                JsonNode fires =
                        doors.api.get("/v1/schedules/" + key + "/jobs").json().get("fires");
                if (!fires.isEmpty()) {
                    return fires.get(0);
                }
            }
            throw new AssertionError(key + " has not fired");
        }

        @Test
        void creates_a_job_now_on_request() {
            created("a", "\"cron\":\"0 0 1 1 *\",\"enabled\":false");
            Reply reply = doors.api.post("/v1/schedules/a/trigger", null);
            assertThat(reply.status()).isEqualTo(202);
            String job = reply.json().get("jobId").asText();
            assertThat(reply.header("location")).isEqualTo("/v1/jobs/" + job);
            doors.await(job, "succeeded");
            assertThat(got("a").get("runs").asInt()).isZero();
            assertThat(got("a").get("lastFires").get(0).get("job").get("jobId").asText())
                    .isEqualTo(job);
        }

        @Test
        void backfills_a_range_once() {
            created("a", "\"cron\":\"0 3 * * *\"");
            String range = "{\"from\":\"2020-01-01T00:00:00Z\",\"to\":\"2020-01-03T00:00:00Z\"}";
            Reply reply = doors.api.post("/v1/schedules/a/backfill", range);
            assertThat(reply.status()).as(reply.body()).isEqualTo(202);
            assertThat(reply.json().get("fires")).hasSize(2);
            assertThat(reply.json().get("fires").get(0).get("cause").asText()).isEqualTo("backfilled");
            assertThat(doors.api.post("/v1/schedules/a/backfill", range).json().get("fires"))
                    .isEmpty();
            assertThat(got("a").get("runs").asInt()).isZero();
        }

        @Test
        void backfills_no_more_than_the_limit() {
            created("a", "\"cron\":\"* * * * *\"");
            assertThat(problems(backfill("2020-01-01T00:00:00Z", "2020-02-01T00:00:00Z")))
                    .containsExactly("from=2020-01-01T00:00:00Z");
            assertThat(problems(backfill("2020-01-01T00:00:00Z", "2100-01-01T00:00:00Z")))
                    .containsExactly("to=2100-01-01T00:00:00Z");
            assertThat(problems(backfill("2020-01-02T00:00:00Z", "2020-01-01T00:00:00Z")))
                    .containsExactly("from=2020-01-02T00:00:00Z");
            assertThat(problems(doors.api.post("/v1/schedules/a/backfill", "{\"to\":\"x\"}")))
                    .containsExactlyInAnyOrder("from=missing", "to=x");
        }

        private Reply backfill(String from, String to) {
            return doors.api.post("/v1/schedules/a/backfill", "{\"from\":\"" + from + "\",\"to\":\"" + to + "\"}");
        }
    }

    @Nested
    class Reading {
        @Test
        void previews_a_schedule_and_one_that_is_not_stored() {
            created("a", "\"cron\":\"0 3 * * *\",\"timeZone\":\"Asia/Kathmandu\",\"startAt\":\"2100-01-01T00:00:00Z\"");
            JsonNode stored = doors.api.get("/v1/schedules/a/preview?count=2").json();
            assertThat(texts(stored.get("fires"))).containsExactly("2100-01-01T21:15:00Z", "2100-01-02T21:15:00Z");
            JsonNode unsaved = doors.api
                    .post(
                            "/v1/schedules/preview",
                            "{\"everySeconds\":90,\"startAt\":\"2100-01-01T00:00:00Z\",\"count\":2}")
                    .json();
            assertThat(texts(unsaved.get("fires"))).containsExactly("2100-01-01T00:00:00Z", "2100-01-01T00:01:30Z");
            assertThat(unsaved.get("description").asText()).isEqualTo("Every 90 seconds");
            assertThat(got("a").get("nextFires")).hasSize(10);
            assertThat(problems(doors.api.post("/v1/schedules/preview", "{\"cron\":\"0 25 * * *\",\"count\":0}")))
                    .isNotEmpty();
            assertThat(problems(doors.api.post("/v1/schedules/preview", "{\"cron\":\"@daily\",\"queue\":\"q\"}")))
                    .containsExactly("queue=unknown field");
        }

        @Test
        void pages_through_schedules_and_fires() {
            for (String key : List.of("c", "a", "b")) {
                created(key, "\"everySeconds\":60");
            }
            JsonNode first = doors.api.get("/v1/schedules?limit=2").json();
            assertThat(keys(first)).containsExactly("a", "b");
            assertThat(keys(doors.api.get("/v1/schedules?limit=2&cursor=b").json()))
                    .containsExactly("c");
            for (int i = 0; i < 3; i++) {
                doors.api.post("/v1/schedules/a/trigger", null);
            }
            JsonNode page = doors.api.get("/v1/schedules/a/jobs?limit=2").json();
            assertThat(page.get("fires")).hasSize(2);
            JsonNode rest = doors.api
                    .get("/v1/schedules/a/jobs?limit=2&cursor="
                            + page.get("nextCursor").asText())
                    .json();
            assertThat(rest.get("fires")).hasSize(1);
            assertThat(rest.get("nextCursor").isNull()).isTrue();
        }

        @Test
        void shows_no_secrets() {
            Reply reply = doors.api.post("/v1/schedules", """
                    {"key":"a","definitionKey":"test.login","params":{"user":"u","password":"hunter2"},"cron":"@daily"}""");
            assertThat(reply.body()).doesNotContain("hunter2");
            assertThat(got("a").toString()).contains("\"u\"").doesNotContain("hunter2");
        }

        @Test
        void is_not_found_if_unknown() {
            for (String path : List.of("", "/preview", "/jobs")) {
                assertThat(doors.api.get("/v1/schedules/none" + path).status()).isEqualTo(404);
            }
            for (String path : List.of("/pause", "/resume", "/trigger")) {
                assertThat(doors.api.post("/v1/schedules/none" + path, null).status())
                        .isEqualTo(404);
            }
            assertThat(doors.api.send("PATCH", "/v1/schedules/none", "{}").status())
                    .isEqualTo(404);
        }

        private List<String> keys(JsonNode page) {
            return texts(page.findPath("schedules"), "key");
        }

        private List<String> texts(JsonNode list) {
            return texts(list, null);
        }

        private List<String> texts(JsonNode list, @Nullable String field) {
            var texts = new ArrayList<String>();
            list.forEach(item ->
                    texts.add(field == null ? item.asText() : item.get(field).asText()));
            return texts;
        }
    }
}
