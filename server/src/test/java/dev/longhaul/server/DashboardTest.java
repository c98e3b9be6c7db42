package dev.longhaul.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.node.NullNode;
import com.sun.net.httpserver.HttpServer;
import dev.longhaul.demo.DemoJobs;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** Uses the dashboard in a browser as a person does. The test that creates API keys runs last, because the server then requires a login. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Order(2) // Slow: starts early, so that other tests run in parallel.
class DashboardTest extends DashboardAddress {
    @Test
    @Order(1)
    void an_empty_server_shows_how_to_start_the_first_job() {
        browser.go("jobs").sees("No jobs yet").sees("./longhaul submit demo.count --params");
        browser.go("").sees("No jobs yet");
        browser.go("schedules").sees("No schedules yet");
        browser.picture("empty");
    }

    @Test
    @Order(2)
    void a_job_is_started_from_the_form_watched_live_and_cancelled() {
        browser.go("jobs").click("Start a job");
        browser.choose("#start-definition", "demo.count@1")
                .type("#param-to", "500")
                .type("#param-everyMillis", "50")
                .click("Options")
                .type("#option-name", "Count to 500")
                .click("Start job");

        browser.sees("Count to 500").sees("counted 5 of 500").sees("counted 12 of 500");
        String id = browser.place().replaceFirst("jobs/", "");
        assertThat(site.api.get("/v1/jobs/" + id).json().get("status").asText()).isEqualTo("running");
        int percent = Integer.parseInt(browser.find("progress").getAttribute("value"));
        browser.until(
                later -> Integer.parseInt(browser.find("progress").getAttribute("value")) > percent,
                () -> "progress beyond " + percent);
        browser.picture("job");

        browser.click("Cancel job").sees("Cancel this job?");
        browser.type("dialog[open] [name=reason]", "seen enough").click("Cancel job");
        browser.sees("cancelled").sees("seen enough").sees("Retry job");
    }

    @Test
    @Order(3)
    void output_of_one_job_is_never_shown_with_another() {
        String counts = site.start("{\"definitionKey\":\"demo.count\",\"params\":{\"to\":9999,\"everyMillis\":20}}");
        String counted = site.start("{\"definitionKey\":\"demo.count\",\"params\":{\"to\":3,\"everyMillis\":1}}");
        browser.go("jobs/" + counts).sees("counted 9 of 9999");
        browser.go("jobs/" + counted).sees("counted 3 of 3").sees("succeeded");
        assertThat(browser.page()).doesNotContain("of 9999");
        browser.type("[data-search]", "counted 2").sees("1 matching line");
        browser.reload();
        browser.sees("1 matching line").click("Events");
        assertThat(browser.place()).isEqualTo("jobs/" + counted + "?find=counted+2&tab=events");
        site.api.post("/v1/jobs/" + counts + "/cancel", "{}");
    }

    @Test
    @Order(4)
    void an_optional_choice_stays_empty_and_fields_become_json() {
        site.api.send(
                "PUT",
                "/v1/definitions/film@1",
                "{\"paramsSchema\":{\"type\":\"object\",\"properties\":{\"url\":{\"type\":\"string\"},\"hdr\":{\"type\":\"boolean\"}}}}");
        browser.go("jobs").click("Start a job");
        browser.choose("#start-definition", "film@1").type("#param-url", "https://example.com/a.mov");
        assertThat(browser.find("#param-hdr").getDomProperty("value")).isEmpty();
        browser.click("Edit as JSON");
        assertThat(browser.find("#raw-params").getDomProperty("value"))
                .contains("a.mov")
                .doesNotContain("hdr");
        browser.click("Close");
    }

    @Test
    @Order(5)
    void a_value_that_the_schema_rejects_is_reported_at_its_field() {
        browser.go("jobs").click("Start a job");
        browser.choose("#start-definition", "demo.sleep@1")
                .type("#param-millis", "soon")
                .click("Start job");
        browser.sees("Must be a number.");
        browser.type("#param-millis", "1.5").click("Start job").sees("Must be an integer.");
        browser.picture("start");
        browser.click("Close");
        browser.discardErrors();
    }

    @Test
    @Order(6)
    void failures_are_filtered_and_retried_together() {
        for (int i = 0; i < 3; i++) {
            site.start("{\"definitionKey\":\"demo.fail\",\"params\":{\"times\":1},\"maxAttempts\":1,\"name\":\"Import "
                    + i + "\",\"labels\":{\"team\":\"red\"}}");
        }
        site.start("{\"definitionKey\":\"demo.echo\",\"params\":{\"team\":\"blue\"}}");
        browser.go("jobs").sees("Import 2").click("failed 3");
        assertThat(browser.place()).contains("status=failed");
        browser.until(found -> !browser.text(By.tagName("tbody")).contains("demo.echo"), () -> "only demo.fail");
        browser.picture("jobs");

        browser.find("thead input").click();
        browser.click("Retry 3 jobs").sees("Retry 3 jobs?").click("Retry 3 jobs");
        browser.sees("3 jobs queued again");
        browser.go("jobs?status=succeeded&label.team=red").sees("Import 0").sees("Import 2");
        browser.back();
        browser.sees("No jobs match this filter");
        assertThat(browser.place()).contains("status=failed");
    }

    @Test
    @Order(7)
    void a_filter_follows_the_address_and_its_buttons_act_only_on_matching_jobs() {
        browser.go("jobs").choose(".filters select", "demo.fail");
        browser.until(found -> browser.place().contains("definitionKey=demo.fail"), () -> "the filter in the address");
        browser.back();
        browser.until(
                found -> "".equals(browser.find(".filters select").getDomProperty("value")),
                () -> "all definitions to be chosen again");
        browser.go("jobs?since=between&from=2020-01-01T00:00:00Z&to=2020-01-02T00:00:00Z")
                .sees("No jobs match this filter");
        browser.run("document.querySelector('[name=to]').value = '';"
                + "document.querySelector('[name=to]').dispatchEvent(new Event('change'))");
        browser.sees("demo.count");
        assertThat(browser.place()).contains("from=2020").doesNotContain("to=");
        browser.go("jobs?status=succeeded").sees("Retry all 0 matching…");
        var retryAll = browser.find(".bulk button");
        assertThat(retryAll.isEnabled()).isFalse();
        assertThat(retryAll.getDomAttribute("title")).contains("the filter shows succeeded");
    }

    @Test
    @Order(8)
    void rows_keep_their_places_while_the_user_points_at_one() {
        String there = site.start("{\"definitionKey\":\"demo.echo\"}");
        browser.go("jobs?definitionKey=demo.echo").sees(there.substring(there.length() - 8));
        browser.point("tbody tr:first-child .w-job b");
        String before = browser.text(By.cssSelector("tbody .mono"));
        String id = site.start("{\"definitionKey\":\"demo.echo\"}");
        browser.sees("Show 1 new job");
        browser.runAndWait("document.querySelector('jobs-screen').page.refresh().then(arguments[0])");
        assertThat(browser.text(By.cssSelector("tbody .mono"))).isEqualTo(before);
        browser.click("Show 1 new job");
        browser.until(
                found -> id.endsWith(browser.text(By.cssSelector("tbody .mono"))), () -> id + " in the first row");
    }

    @Test
    @Order(9)
    void a_job_that_starts_to_match_the_filter_is_shown_in_order() {
        String older = site.start(
                "{\"definitionKey\":\"demo.echo\",\"name\":\"Older\",\"hold\":true,\"labels\":{\"fits\":\"now\"}}");
        site.start("{\"definitionKey\":\"demo.echo\",\"name\":\"Newer\",\"labels\":{\"fits\":\"now\"}}");
        browser.go("jobs?status=succeeded&label.fits=now").point("h1");
        browser.sees("Newer");
        site.api.post("/v1/jobs/" + older + "/release", "{}");
        browser.sees("Older");
        assertThat(browser.text(By.tagName("tbody"))).containsSubsequence("Newer", "Older");
    }

    @Test
    @Order(13)
    void all_matching_jobs_are_cancelled_after_a_confirmation_with_their_number() {
        for (int i = 0; i < 7; i++) {
            site.start("{\"definitionKey\":\"demo.echo\",\"delaySeconds\":3600,\"queue\":\"later\"}");
        }
        browser.go("jobs?queue=later").sees("scheduled 7").click("Cancel all 7 matching…");
        browser.sees("Cancel 7 jobs?").click("Cancel 7 jobs").sees("7 jobs cancelled");
        browser.sees("cancelled 7");
    }

    @Test
    @Order(14)
    void a_paused_queue_is_the_reason_why_a_job_waits() {
        site.start("{\"definitionKey\":\"demo.echo\",\"queue\":\"unserved\"}");
        browser.go("queues").sees("default").sees("no worker");
        browser.click("Pause").sees("Pause queue default?");
        browser.find("dialog[open] [name=note]").sendKeys("release at noon", Keys.ENTER);
        browser.sees("Queue default paused.").sees("release at noon");
        String id = site.start("{\"definitionKey\":\"demo.echo\"}");
        browser.go("jobs/" + id)
                .sees("Why is it not running?")
                .sees("The queue default is paused by local: release at noon");
        browser.picture("why");
        browser.go("queues").click("Resume").sees("Queue default resumed.");
        browser.picture("queues");
        browser.go("jobs/" + id).sees("succeeded");
    }

    @Test
    @Order(15)
    void a_schedule_is_created_with_a_preview_of_its_fires_and_paused() {
        browser.go("schedules").click("New schedule");
        browser.type("[name=key]", "nightly").choose("[name=definitionKey]", "demo.sleep");
        browser.click("Save schedule").sees("millis").sees("03:00");
        assertThat(browser.page()).as("the reason of the rejection").contains("millis");
        browser.choose("[name=definitionKey]", "demo.echo");
        browser.type("[name=cron]", "0 25 * * *").sees("hour: Must be 0-23.");
        browser.type("[name=cron]", "30 3 * * 1-5").sees("03:30");
        browser.click("Save schedule").sees("nightly").sees("Next fires");
        opens("schedules/nightly", "Edit", "edit=yes", "Edit schedule nightly");
        browser.click("Trigger now").sees("triggered");
        browser.picture("schedule");
        browser.click("Pause")
                .type("dialog[open] [name=note]", "audit week")
                .click("Pause schedule")
                .sees("audit week");
        browser.go("schedules").sees("Paused");
        browser.picture("schedules");
        browser.discardErrors();
    }

    @Test
    @Order(16)
    void a_webhook_is_created_tested_and_its_delivery_sent_again() throws Exception {
        var answer = new AtomicInteger(500);
        HttpServer receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/", exchange -> {
            try (exchange) {
                exchange.getRequestBody().readAllBytes();
                byte[] body = ("answered " + answer.get() + " <img src=x onerror=window.harmed=1>").getBytes(UTF_8);
                exchange.sendResponseHeaders(answer.get(), body.length);
                exchange.getResponseBody().write(body);
            }
        });
        receiver.start();
        String url = "http://127.0.0.1:" + receiver.getAddress().getPort() + "/in";
        try {
            browser.go("webhooks").sees("No webhooks yet").click("New webhook");
            browser.type("[name=url]", url).find("[value='job.succeeded']").click();
            browser.click("Save webhook").sees("whsec_").click("Done, I saved it");
            browser.click("Send test").sees("webhook.test").click("webhook.test");
            assertThat(browser.place()).contains("?delivery=");
            browser.reload();
            browser.sees("status: 500 (expected: 2xx)").sees("answered 500 <img src=x");
            assertThat(browser.run("return window.harmed === undefined")).isEqualTo("true");
            browser.picture("webhook");
            answer.set(200);
            browser.click("Redeliver").sees("Delivery queued.").sees("answered 200 <img src=x");
            browser.back();
            browser.until(found -> !browser.page().contains("answered"), () -> "the delivery to be closed");
            site.start("{\"definitionKey\":\"demo.echo\"}");
            browser.sees("job.succeeded");
            browser.click("Edit").find("[value='job.started']").click();
            browser.click("Save webhook").sees("job.failed, job.started, job.succeeded");
            browser.click("Disable").sees("disabled");
            int parked = park();
            browser.click("Redeliver all parked").sees("again, oldest first");
            String deliveries = parked == 1 ? "1 delivery" : parked + " deliveries";
            browser.click("Redeliver " + deliveries).sees(deliveries + " queued.");
            browser.click("Redeliver all parked").sees("No parked deliveries.");
            browser.go("webhooks").sees(url);
            browser.picture("webhooks");
            browser.click(url).sees("Deliveries");
            browser.click("Delete").sees("Delete this webhook?").click("Delete webhook");
            browser.sees("No webhooks yet");
        } finally {
            receiver.stop(0);
        }
    }

    /** Parks all pending deliveries, as after a day of failed attempts. Returns their number. */
    private int park() throws SQLException {
        try (Connection connection = site.pool.getConnection();
                Statement statement = connection.createStatement()) {
            return statement.executeUpdate(
                    "update longhaul.webhook_delivery set state = 2, ended_at = now() where state < 2");
        }
    }

    @Test
    @Order(17)
    void every_other_screen_shows_its_data() {
        site.longhaul.store().stats().flush();
        browser.go("").sees("Throughput").sees("Succeeded, 1 h").sees("Database");
        assertThat(browser.run(
                        "return Date.now() - Date.parse(document.querySelector('time-chart').times.at(-1)) >= 20_000"))
                .as("charts end at the last complete step")
                .isEqualTo("true");
        browser.picture("overview");
        browser.go("workers").sees("active");
        browser.picture("workers");
        browser.go("definitions?key=demo.count").sees("demo.count").sees("everyMillis");
        browser.picture("definitions");
    }

    @Test
    @Order(18)
    void keyboard_shortcuts_open_every_screen() {
        browser.go("").sees("Overview");
        browser.press("gj");
        browser.sees("Start a job");
        browser.press("/");
        assertThat(browser.run("return document.activeElement.id")).isEqualTo("job-search");
        browser.press(Keys.ESCAPE);
        browser.run("document.activeElement.blur()");
        browser.press(Keys.ARROW_DOWN);
        assertThat(browser.run("return document.activeElement.className")).isEqualTo("row-link");
        browser.press("?");
        browser.sees("Select the row");
        browser.back();
        browser.until(found -> browser.all("dialog[open]").isEmpty(), () -> "the shortcuts to be closed");
        assertThat(browser.place()).isEqualTo("jobs");
        browser.go("nowhere").sees("Page not found");
    }

    @Test
    @Order(19)
    void params_are_copied_also_in_browsers_without_the_clipboard_api() {
        String id = site.start("{\"definitionKey\":\"demo.echo\",\"params\":{\"to\":\"copy\"}}");
        browser.go("jobs/" + id).sees("succeeded");
        browser.run("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true });"
                + "addEventListener('copy', () => (window.copied = document.activeElement.value), { once: true });");
        browser.click("Copy as curl").sees("Copied.");
        assertThat(browser.run("return window.copied")).asString().contains("{\"to\":\"copy\"}");
        browser.reload();
    }

    @Test
    @Order(20)
    void an_unavailable_server_is_reported_and_missed_jobs_are_loaded_afterwards() {
        browser.go("jobs?definitionKey=demo.echo").sees("live");
        browser.point("h1");
        var missed = new ArrayList<String>();
        site.whileStopped(() -> {
            browser.sees("reconnecting…").sees("The server is unavailable.");
            assertThat(browser.run("return document.querySelector('main').getBoundingClientRect().top < 60"))
                    .as("nothing moves")
                    .isEqualTo("true");
            missed.add(
                    site.longhaul.later(DemoJobs.ECHO, NullNode.getInstance()).toString());
        });
        browser.sees("Connection to the server restored.").sees(missed.get(0).substring(28));
        // The browser logs every failed request.
        browser.discardErrors();
    }

    @Test
    @Order(21)
    void a_wrong_browser_clock_does_not_change_the_age_of_jobs() {
        String id = site.start("{\"definitionKey\":\"demo.echo\"}");
        browser.go("jobs").sees("live");
        browser.run("window.rightly = Date.now; Date.now = () => window.rightly() - 3_600_000");
        browser.go("jobs/" + id).sees("succeeded");
        assertThat(browser.text(By.cssSelector(".timeline")))
                .doesNotContain("in 1 h")
                .doesNotContain("in 59 min");
        browser.run("Date.now = window.rightly");
    }

    @Test
    @Order(22)
    void data_that_cannot_be_loaded_any_more_is_reported() {
        browser.go("queues").sees("default");
        browser.run(
                "window.really = window.fetch; window.fetch = () => Promise.resolve(new Response("
                        + "'{\"detail\":\"The database is unavailable.\"}', { status: 503, headers: { 'content-type': 'application/problem+json' } }))");
        browser.sees("The database is unavailable. The data shown may be out of date");
        browser.run("window.fetch = window.really");
        browser.until(found -> !browser.page().contains("may be out of date"), () -> "the warning to disappear");
    }

    @Test
    @Order(23)
    void users_log_in_with_their_key_and_get_the_actions_of_their_role() {
        Map<String, String> secrets = new LinkedHashMap<>();
        // The user who creates the first key sees its secret and stays logged in.
        browser.go("access").type("[name=name]", "first").click("Create key");
        browser.sees("Create the first key?").click("Create admin key");
        browser.sees("The secret of first").sees("first admin").sees("key.create");
        secrets.put("admin", browser.find("#secret").getText());
        // Over REST, so that this server requires keys immediately; changes in its store reach it a second later.
        for (String role : List.of("operator", "submitter", "viewer")) {
            secrets.put(
                    role,
                    site.api
                            .withKey(String.valueOf(secrets.get("admin")))
                            .post("/v1/keys", "{\"name\":\"" + role + "\",\"role\":\"" + role + "\"}")
                            .json()
                            .get("secret")
                            .asText());
        }
        String id = site.api
                .withKey(String.valueOf(secrets.get("admin")))
                .post(
                        "/v1/jobs",
                        "{\"definitionKey\":\"demo.fail\",\"params\":{\"times\":9},\"maxAttempts\":1,\"name\":\"Doomed\"}")
                .json()
                .get("jobId")
                .asText();
        browser.click("Done, I saved it").click("Log out").sees("You are logged out.");
        browser.go("jobs/" + id).sees("API key");
        browser.picture("login");
        browser.type("#key", "lh_wrong").click("Log in").sees("Unknown or revoked API key");
        for (Map.Entry<String, String> one : secrets.entrySet()) {
            browser.type("#key", one.getValue()).click("Log in").sees("Doomed").sees(one.getKey());
            boolean operates = one.getKey().equals("admin") || one.getKey().equals("operator");
            browser.until(
                    found -> browser.find(".actions button").isEnabled() == operates,
                    () -> "Retry job to be " + (operates ? "possible" : "disabled") + " for " + one.getKey());
            if (!operates) {
                assertThat(browser.find(".actions button").getAttribute("title"))
                        .contains("You need the operator role");
            }
            assertThat(browser.page().contains("Keys and audit"))
                    .isEqualTo(one.getKey().equals("admin"));
            assertThat(browser.page().contains("Workers")).isEqualTo(operates);
            if (one.getKey().equals("admin")) {
                browser.go("access").sees("Audit trail").sees("queue.pause");
                browser.picture("access");
                browser.go("jobs/" + id).sees("Doomed");
            }
            browser.click("Log out").sees("API key");
        }
        // The browser logs every 401.
        browser.discardErrors();
    }
}
