package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.access.Role;
import dev.longhaul.demo.DemoJobs;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.MethodOrderer;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.TestMethodOrder;

/** Functions of the dashboard that operators rely on, on a server with an in-memory store. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@TestMethodOrder(MethodOrderer.OrderAnnotation.class)
@Order(2) // Slow: starts early, so that other tests run in parallel.
class DashboardOperatorTest {
    private static final int LINES = 6000;

    private Longhaul longhaul;
    private LonghaulServer server;
    private Api api;
    private Browser browser;

    @BeforeAll
    void open() {
        List<JobDefinition<?, ?>> definitions = new ArrayList<>(new DemoJobs().definitions());
        definitions.add(JobDefinition.of("test.lines", Map.class, Void.class).handler((params, run) -> {
            for (int i = 1; i <= LINES; i++) {
                run.log().info("line " + i + " of many");
            }
            return null;
        }));
        longhaul = Longhaul.builder()
                .memory()
                .register(definitions.toArray(JobDefinition<?, ?>[]::new))
                .start();
        server = LonghaulServer.start(longhaul, Doors.AT_ONCE);
        api = new Api(server.port());
        browser = Browser.on(server.port());
    }

    @AfterAll
    void close() {
        if (browser != null) {
            browser.close();
        }
        server.close();
        longhaul.close();
    }

    private String start(String body) {
        var reply = api.post("/v1/jobs", body);
        assertThat(reply.status()).as(reply.body()).isEqualTo(202);
        return reply.json().get("jobId").asText();
    }

    @Test
    @Order(1)
    void an_empty_list_shows_a_command_that_works() {
        browser.go("queues")
                .sees("No queues yet")
                .sees("./longhaul submit demo.count --params")
                .sees("--follow --url http://127.0.0.1:" + server.port());
        browser.go("").sees("No jobs yet").sees("./longhaul submit demo.count --params");
    }

    @Test
    @Order(2)
    void an_in_memory_store_has_no_database_panel_and_is_requested_once() {
        start("{\"definitionKey\":\"demo.echo\"}");
        browser.go("jobs").sees("demo.echo");
        browser.go("").sees("Next fires");
        browser.runAndWait("document.querySelector('overview-screen').database.refresh().then(arguments[0])");
        assertThat(browser.page()).doesNotContain("Database");
        assertThat(browser.run("return performance.getEntriesByType('resource')"
                        + ".filter(one => one.name.endsWith('/v1/stats/database')).length"))
                .isEqualTo("1");
        browser.discardErrors();
    }

    @Test
    @Order(3)
    void a_label_narrows_the_filter_and_several_labels_are_matched_together() {
        start("{\"definitionKey\":\"demo.echo\",\"name\":\"Both\",\"labels\":{\"tenant\":\"acme\",\"env\":\"prod\"}}");
        start("{\"definitionKey\":\"demo.echo\",\"name\":\"One\",\"labels\":{\"tenant\":\"acme\",\"env\":\"test\"}}");
        browser.go("jobs?queue=default&label.tenant=acme").sees("Both").sees("One");
        browser.run("[...document.querySelectorAll('tbody a.label')].find(a => a.innerText.includes('prod')).click()");
        browser.until(found -> !browser.page().contains("One "), () -> "only the job with both labels");
        assertThat(browser.place())
                .contains("queue=default")
                .contains("label.tenant=acme")
                .contains("label.env=prod");
        // New jobs are matched against both labels, too.
        start(
                "{\"definitionKey\":\"demo.echo\",\"name\":\"Later one\",\"labels\":{\"tenant\":\"acme\",\"env\":\"test\"}}");
        start(
                "{\"definitionKey\":\"demo.echo\",\"name\":\"Later both\",\"labels\":{\"tenant\":\"acme\",\"env\":\"prod\"}}");
        browser.point("h1").sees("Later both");
        assertThat(browser.page()).doesNotContain("Later one");
        browser.find(".set a[title='Remove tenant=acme']").click();
        browser.until(found -> !browser.place().contains("tenant"), () -> "the label removed");
        browser.type("#job-search", "tenant=acme env=test\n").sees("Later one");
        assertThat(browser.place()).contains("label.env=test").contains("label.tenant=acme");
    }

    @Test
    @Order(4)
    void the_start_form_distinguishes_an_unavailable_server_from_one_without_definitions() {
        api.send(
                "PUT",
                "/v1/definitions/limits@1",
                "{\"paramsSchema\":{\"type\":\"object\",\"properties\":{\"seconds\":{\"type\":\"integer\",\"maximum\":3600},"
                        + "\"list\":{\"type\":\"array\"}}}}");
        browser.go("jobs").sees("Start a job");
        browser.run("window.really = window.fetch; window.fetch = () => Promise.reject(new TypeError('down'))");
        browser.click("Start a job").sees("Try again");
        assertThat(browser.text(org.openqa.selenium.By.cssSelector("dialog[open]")))
                .contains("The server is unavailable.")
                .doesNotContain("No worker has registered");
        browser.run("window.fetch = window.really");
        browser.click("Try again").find("dialog[open] #start-definition");
        browser.choose("#start-definition", "limits@1")
                .type("#param-seconds", "99999")
                .type("#param-list", "{}")
                .click("Start job");
        browser.sees("Must be at most 3,600.").sees("Must be an array.");
        assertThat(browser.all("dialog[open] [role=alert]"))
                .as("each problem once")
                .hasSize(2);
        browser.click("Close");
        browser.discardErrors();
    }

    @Test
    @Order(5)
    void a_link_to_a_definition_shows_it() {
        browser.phone(true);
        browser.go("definitions?key=test.lines").sees("test.lines");
        browser.until(
                found -> browser.run(
                                "const box = document.querySelector('[data-key=\"test.lines\"]')?.getBoundingClientRect();"
                                        + " return !!box && box.bottom > 0 && box.top < innerHeight && scrollY > 0")
                        .equals("true"),
                () -> "test.lines in view");
        browser.phone(false);
        assertThat(browser.run("return new Set([...document.querySelectorAll('.card .head')].map(head =>"
                        + " head.getBoundingClientRect().top - head.parentElement.getBoundingClientRect().top)).size"))
                .as("titles at one height")
                .isEqualTo("1");
    }

    @Test
    @Order(6)
    void a_search_finds_lines_that_are_no_longer_on_the_page() {
        String id = start("{\"definitionKey\":\"test.lines\"}");
        browser.go("jobs/" + id).sees("The last 5,000 of 6,000 lines. The download has all lines.");
        browser.type("[data-search]", "line 42 of").sees("1 matching line").sees("line 42 of many");
    }

    @Test
    @Order(7)
    void a_copied_command_has_all_options_of_the_job() {
        String id = start(
                "{\"definitionKey\":\"demo.echo\",\"params\":{\"it\":\"isn't\"},\"name\":\"Order 4711\",\"priority\":-5,"
                        + "\"maxAttempts\":7,\"timeoutSeconds\":90,\"correlationId\":\"c 1\",\"labels\":{\"a\":\"b c\"}}");
        browser.go("jobs/" + id).sees("succeeded");
        assertThat(copied("Copy as CLI"))
                .startsWith("./longhaul submit demo.echo@1 --url http://127.0.0.1:" + server.port())
                .contains("--params '{\"it\":\"isn'\\''t\"}'")
                .contains(
                        "'--name=Order 4711' --queue=default --priority=-5 --attempts=7 --timeout=90s '--correlation-id=c 1'")
                .endsWith("--label 'a=b c'");
        assertThat(copied("Copy as curl"))
                .contains("\"name\":\"Order 4711\"")
                .contains(
                        "\"priority\":-5,\"maxAttempts\":7,\"timeoutSeconds\":90,\"correlationId\":\"c 1\",\"labels\":{\"a\":\"b c\"}");
    }

    @Test
    @Order(7)
    void reading_params_is_recorded_when_they_are_shown_and_not_before() {
        String id = start("{\"definitionKey\":\"demo.echo\",\"params\":{\"to\":\"canary\"}}");
        browser.go("jobs/" + id).sees("succeeded").sees("Copy as curl");
        assertThat(fullViews(id)).isZero();
        browser.click("Params and result").sees("canary");
        assertThat(fullViews(id)).isEqualTo(1);

        String waiting = start("{\"definitionKey\":\"demo.echo\",\"params\":{\"to\":\"canary\"},\"hold\":true}");
        browser.go("jobs/" + waiting).sees("Held.");
        assertThat(fullViews(waiting)).isZero();
        browser.click("Edit job").sees("Params (JSON)");
        assertThat(browser.find("[name=params]").getDomProperty("value")).contains("canary");
        browser.click("Cancel");
        // Closing the form goes back in the history, which must not undo the next navigation.
        browser.until(found -> !browser.place().contains("edit"), () -> "the form to close");
    }

    private long fullViews(String id) {
        long views = 0;
        for (var entry : api.get("/v1/audit?limit=100").json().get("entries")) {
            boolean full = entry.get("action").asText().equals("job.viewFull");
            views += full && entry.get("subject").asText().equals(id) ? 1 : 0;
        }
        return views;
    }

    private String copied(String button) {
        browser.run("Object.defineProperty(navigator, 'clipboard', { value: undefined, configurable: true });"
                + "window.copied = '';"
                + "addEventListener('copy', () => (window.copied = document.activeElement.value), { once: true });");
        browser.click(button).sees("Copied.");
        // The message of an earlier copy may still be shown.
        browser.until(found -> !browser.run("return window.copied").equals(""), () -> button + " to copy");
        return browser.run("return window.copied").toString();
    }

    @Test
    @Order(8)
    void going_back_restores_the_focus_and_the_navigation_does_not_shift() {
        browser.go("jobs").sees("test.lines");
        Object before = browser.run("return document.querySelector('.bar nav a:last-child').offsetLeft");
        String link = browser.run("const link = document.querySelectorAll('a.row-link')[1]; link.focus(); link.click();"
                        + "return link.getAttribute('href')")
                .toString();
        browser.sees("Copy as curl");
        browser.back();
        browser.until(
                found -> link.equals(browser.run("return document.activeElement.getAttribute('href')")),
                () -> "the focus on " + link);
        browser.go("queues").sees("default");
        assertThat(browser.run("return document.querySelector('.bar nav a:last-child').offsetLeft"))
                .isEqualTo(before);
    }

    @Test
    @Order(9)
    void the_audit_trail_shows_what_was_changed_and_links_to_the_job() {
        String id = start("{\"definitionKey\":\"demo.echo\",\"delaySeconds\":3600}");
        api.post("/v1/jobs/" + id + "/cancel", "{\"reason\":\"no longer needed\"}");
        api.send("PUT", "/v1/queues/mail", "{\"maxDepth\":5}");
        browser.go("access").sees("queue.maxDepth").sees("maxDepth:");
        assertThat(browser.all("td[data-label=Target] a[href='#/jobs/" + id + "']"))
                .hasSize(1);
    }

    @Test
    @Order(10)
    void a_viewer_sees_no_controls_of_other_roles() {
        String secret = key();
        browser.go("access").sees("API key");
        browser.type("#key", secret).click("Log in").sees("You need the admin role to view API keys");
        assertThat(browser.all("form.inline")).isEmpty();
        browser.go("jobs").sees("demo.echo");
        assertThat(browser.all("td.check")).noneMatch(box -> box.isDisplayed());
        browser.discardErrors();
    }

    private String key() {
        String admin = api.post("/v1/keys", "{\"name\":\"admin\",\"role\":\"" + Role.ADMIN.text() + "\"}")
                .json()
                .get("secret")
                .asText();
        return api.withKey(admin)
                .post("/v1/keys", "{\"name\":\"viewer\",\"role\":\"viewer\"}")
                .json()
                .get("secret")
                .asText();
    }
}
