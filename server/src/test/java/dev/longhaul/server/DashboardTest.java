package dev.longhaul.server;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;

import com.sun.net.httpserver.HttpServer;
import java.io.IOException;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.nio.file.Path;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;
import org.junit.jupiter.api.io.TempDir;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** The dashboard in a browser, as a person uses it. Keys come last: from then on everybody has to log in. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
class DashboardTest {
    private Site site;
    private Browser browser;

    @BeforeAll
    void open(@TempDir Path home) {
        site = new Site(home);
        browser = Browser.on(site.server.port());
    }

    @AfterAll
    void close() {
        if (browser != null) {
            browser.close();
        }
        site.close();
    }

    @AfterEach
    void complains_of_nothing() {
        browser.hasNothingToComplain();
    }

    @Test
    @Order(1)
    void an_empty_server_teaches_what_to_do_first() {
        browser.go("jobs").sees("No jobs yet").sees("\"definitionKey\": \"demo.count\"");
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
                .click("Start");

        browser.sees("Count to 500").sees("counted 5 of 500").sees("counted 12 of 500");
        String id = browser.place().replaceFirst("jobs/", "");
        assertThat(site.api.get("/v1/jobs/" + id).json().get("status").asText()).isEqualTo("running");
        int percent = Integer.parseInt(browser.find("progress").getAttribute("value"));
        browser.until(
                later -> Integer.parseInt(browser.find("progress").getAttribute("value")) > percent,
                () -> "progress beyond " + percent);
        browser.picture("job");

        browser.click("Cancel").sees("Cancel this job?");
        browser.type("dialog[open] [name=reason]", "seen enough").click("Cancel the job");
        browser.sees("cancelled").sees("seen enough").sees("Retry");
    }

    @Test
    @Order(3)
    void a_value_that_the_schema_refuses_is_told_beside_its_field() {
        browser.go("jobs").click("Start a job");
        browser.choose("#start-definition", "demo.sleep@1")
                .type("#param-millis", "soon")
                .click("Start");
        browser.sees("millis: not a number");
        browser.type("#param-millis", "1.5").click("Start").sees("expected");
        browser.picture("start");
        browser.click("Close");
        browser.forgetComplaints();
    }

    @Test
    @Order(4)
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
        browser.click("Retry 3").sees("Retry 3 jobs?").click("Retry 3 jobs");
        browser.sees("3 jobs queued again");
        browser.go("jobs?status=succeeded&label.team=red").sees("Import 0").sees("Import 2");
        browser.back();
        browser.sees("No job fits this filter");
        assertThat(browser.place()).contains("status=failed");
    }

    @Test
    @Order(5)
    void all_of_a_filter_is_cancelled_after_saying_how_many() {
        for (int i = 0; i < 7; i++) {
            site.start("{\"definitionKey\":\"demo.echo\",\"delaySeconds\":3600,\"queue\":\"later\"}");
        }
        browser.go("jobs?queue=later").sees("scheduled 7").click("Cancel all of this filter…");
        browser.sees("Cancel all 7 ").click("Cancel 7 jobs").sees("7 jobs cancelled");
        browser.sees("cancelled 7");
    }

    @Test
    @Order(6)
    void a_paused_queue_is_why_a_job_does_not_run() {
        browser.go("queues").sees("default");
        browser.click("Pause").sees("Pause default?");
        browser.type("dialog[open] [name=note]", "release at noon");
        // The dialog's own button, which says the same.
        browser.click("Pause").sees("default is paused").sees("release at noon");
        String id = site.start("{\"definitionKey\":\"demo.echo\"}");
        browser.go("jobs/" + id)
                .sees("Why is it not running?")
                .sees("The queue default is paused by local: release at noon");
        browser.picture("why");
        browser.go("queues").click("Resume").sees("default goes on");
        browser.picture("queues");
        browser.go("jobs/" + id).sees("succeeded");
    }

    @Test
    @Order(7)
    void a_schedule_is_made_with_its_fires_in_view_and_paused() {
        browser.go("schedules").click("New schedule");
        browser.type("[name=key]", "nightly").choose("[name=definitionKey]", "demo.echo");
        browser.type("[name=cron]", "0 25 * * *").sees("hour: 25 (expected: 0-23)");
        browser.type("[name=cron]", "30 3 * * 1-5").sees("03:30");
        browser.click("Save").sees("nightly").sees("Next fires");
        browser.click("Trigger now").sees("triggered");
        browser.picture("schedule");
        browser.click("Pause")
                .type("dialog[open] [name=note]", "audit week")
                .click("Pause")
                .sees("audit week");
        browser.go("schedules").sees("paused");
        browser.picture("schedules");
        browser.forgetComplaints();
    }

    @Test
    @Order(8)
    void a_webhook_is_made_tried_out_and_its_delivery_sent_again() throws IOException {
        var answer = new AtomicInteger(500);
        HttpServer receiver = HttpServer.create(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0), 0);
        receiver.createContext("/", exchange -> {
            try (exchange) {
                exchange.getRequestBody().readAllBytes();
                byte[] body = ("answered " + answer.get()).getBytes(UTF_8);
                exchange.sendResponseHeaders(answer.get(), body.length);
                exchange.getResponseBody().write(body);
            }
        });
        receiver.start();
        String url = "http://127.0.0.1:" + receiver.getAddress().getPort() + "/in";
        try {
            browser.go("webhooks").sees("No webhooks yet").click("New webhook");
            browser.type("[name=url]", url).find("[value='job.succeeded']").click();
            browser.click("Save").sees("whsec_").click("I have it");
            browser.click("Send test").sees("webhook.test").click("webhook.test");
            browser.sees("status: 500 (expected: 2xx)").sees("answered 500");
            browser.picture("webhook");
            answer.set(200);
            browser.sees("delivered").click("Redeliver").sees("It is sent once more");
            site.start("{\"definitionKey\":\"demo.echo\"}");
            browser.sees("job.succeeded");
            browser.click("Edit").find("[value='job.started']").click();
            browser.click("Save").sees("job.failed, job.started, job.succeeded");
            browser.click("Disable").sees("disabled");
            browser.go("webhooks").sees(url);
            browser.picture("webhooks");
            browser.click(url).sees("Deliveries");
            browser.click("Delete").sees("Delete this webhook?").click("Delete");
            browser.sees("No webhooks yet");
        } finally {
            receiver.stop(0);
        }
    }

    @Test
    @Order(9)
    void every_other_screen_shows_what_there_is() {
        site.longhaul.store().stats().flush();
        browser.go("").sees("Throughput").sees("Succeeded, 1 h").sees("Database");
        browser.picture("overview");
        browser.go("workers").sees("active");
        browser.picture("workers");
        browser.go("definitions?key=demo.count").sees("demo.count").sees("everyMillis");
        browser.picture("definitions");
    }

    @Test
    @Order(10)
    void keys_lead_everywhere() {
        browser.go("").sees("Overview");
        browser.press("gj");
        browser.sees("Start a job");
        browser.press("/");
        assertThat(browser.run("return document.activeElement.id")).isEqualTo("job-search");
        browser.press(Keys.ESCAPE);
        browser.go("nowhere").sees("Nothing is here");
    }

    @Test
    @Order(11)
    void everybody_logs_in_with_their_key_and_may_what_their_role_may() {
        Map<String, String> secrets = new LinkedHashMap<>();
        // Over REST, so that this server shuts its door at once; what happens in its store it notices a second later.
        for (String role : List.of("admin", "operator", "submitter", "viewer")) {
            secrets.put(
                    role,
                    site.api
                            .withKey(secrets.getOrDefault("admin", ""))
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
        browser.go("jobs/" + id);
        browser.reload();
        browser.sees("API key");
        browser.picture("login");
        browser.type("#key", "lh_wrong").click("Log in").sees("No such API key");
        for (Map.Entry<String, String> one : secrets.entrySet()) {
            browser.type("#key", one.getValue()).click("Log in").sees("Doomed").sees(one.getKey());
            boolean operates = one.getKey().equals("admin") || one.getKey().equals("operator");
            browser.until(
                    found -> browser.find(".actions button").isEnabled() == operates,
                    () -> "Retry to be " + (operates ? "possible" : "disabled") + " for " + one.getKey());
            if (!operates) {
                assertThat(browser.find(".actions button").getAttribute("title"))
                        .contains("Needs the role operator");
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
        // The browser notes every 401.
        browser.forgetComplaints();
    }
}
