package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.sql.Connection;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.openqa.selenium.By;

/** The layout of the dashboard with realistic long names, from phone to large monitor, and the numbers of its overview. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Order(2) // Slow: starts early, so that other tests run in parallel.
class DashboardLayoutTest {
    private static final List<Integer> WIDTHS = List.of(390, 768, 1024, 1440, 1920);
    private static final int TALLEST_OVERVIEW = 1600;
    private static final int TALLEST_LABEL = 300;
    /** 70 characters each, with and without places for line breaks. */
    private static final String DOTTED = "customerDataPlatform.subscriberSegment.rebuildIncrementally.europeWest";

    private static final String DASHED = "customer-data-platform-europe-west-incremental-segments-backfill-queue";
    private static final String WORDS = "Subscriber segments for the customer data platform (Europe, increment)";

    private Site site;
    private Browser browser;
    private String failed = "";
    private String waiting = "";

    @BeforeAll
    void open() throws SQLException {
        site = new Site();
        fill();
        browser = Browser.on(site.server.port());
    }

    @AfterAll
    void close() {
        if (browser != null) {
            browser.close();
        }
        site.close();
    }

    private void fill() throws SQLException {
        assertThat(List.of(DOTTED, DASHED, WORDS)).allMatch(name -> name.length() == 70);
        site.api.send("PUT", "/v1/definitions/" + DOTTED + "@1", "{}");
        String labels = "{\"tenant\":\"acme-corporation-international\",\"environment\":\"production-europe-west-1\"}";
        failed = site.start("{\"definitionKey\":\"demo.fail\",\"params\":{\"times\":9},\"maxAttempts\":1,\"name\":\""
                + WORDS + "\",\"labels\":" + labels + "}");
        site.start("{\"definitionKey\":\"demo.count\",\"params\":{\"to\":100000,\"everyMillis\":200},\"name\":\""
                + WORDS + "\"}");
        for (String queue : List.of(DASHED, DOTTED, "orders", "mail", "media", "gpu", "reports", "search", "imports")) {
            site.start("{\"definitionKey\":\"" + DOTTED + "\",\"queue\":\"" + queue + "\",\"labels\":" + labels + "}");
        }
        String longest = "l".repeat(100);
        site.api.send("PUT", "/v1/definitions/" + longest + "@1", "{}");
        waiting = site.start("{\"definitionKey\":\"" + longest + "\",\"name\":\"" + "n".repeat(200)
                + "\",\"labels\":{\"" + "k".repeat(31) + "\":\"" + "v".repeat(180) + "\"}}");
        for (String key : List.of(DASHED, "short", "nightly", "weekly", "monthly", "yearly", "hourly")) {
            site.api.post(
                    "/v1/schedules",
                    "{\"key\":\"" + key + "\",\"name\":\"" + (key.equals("short") ? WORDS : key)
                            + "\",\"definitionKey\":\""
                            + DOTTED
                            + "\",\"cron\":\"0 3 * * *\",\"timeZone\":\"America/Argentina/ComodRivadavia\",\"labels\":"
                            + labels
                            + "}");
        }
        site.api.post("/v1/queues/" + DASHED + "/pause", "{\"note\":\"" + WORDS + "\"}");
        site.api.post(
                "/v1/webhooks",
                "{\"url\":\"https://hooks.example.com/" + DASHED + "\",\"events\":[\"job.failed\",\"job.succeeded\"]}");
        for (int i = 0; i < 9; i++) {
            fail("kind" + i + "." + DOTTED.substring(0, 60), "an hour ago" + "x".repeat(i));
        }
        site.longhaul.store().stats().flush();
    }

    /** A job that was created an hour ago and failed now. */
    private void fail(String definition, String name) throws SQLException {
        try (Connection connection = site.pool.getConnection();
                Statement statement = connection.createStatement()) {
            statement.execute("set search_path = longhaul");
            statement.execute("""
                    insert into finished_job (id, run_at, created_at, updated_at, finished_at, run, position, ended_position,
                        ended_run, definition_version, timeout_seconds, state, rank, attempts, max_attempts, crashes, progress,
                        definition_key, queue, params, lease_key, started_at, started_position, worker_id, name, error_code,
                        error_message)
                    select overlay(overlay(overlay(lowest_id(at)::text placing '7' from 15 for 1) placing '8' from 20 for 1)
                        placing right(gen_random_uuid()::text, 12) from 25)::uuid, at, at,
                        clock(), clock(), 1, 3, 3, 1, 1, 3600, 5, 0, 1, 3, 0, 0, '%s', 'default', '{}', gen_random_uuid(), at, 2,
                        'w', '%s', 'smtp_451', 'the server %s is busy, try again later'
                    from (select clock() - interval '1 hour' as at) made""".formatted(definition, name, DOTTED));
        }
    }

    @Test
    void every_screen_fits_every_width() {
        var faults = new ArrayList<String>();
        faults.addAll(faults("", "smtp_451"));
        faults.addAll(faults("jobs", WORDS));
        faults.addAll(faults("jobs?time=finished&since=between", "smtp_451"));
        faults.addAll(faults("jobs/" + failed, "exception"));
        faults.addAll(faults("jobs/" + failed + "?tab=runs", "Download"));
        faults.addAll(faults("jobs/" + failed + "?tab=events", "started"));
        faults.addAll(faults("jobs/" + waiting, "Why is it not running?"));
        faults.addAll(faults("queues", DASHED));
        faults.addAll(faults("schedules", "nightly"));
        faults.addAll(faults("schedules/" + DASHED, "Next fires"));
        faults.addAll(faults("workers", "active"));
        faults.addAll(faults("definitions", DOTTED));
        faults.addAll(faults("webhooks", DASHED));
        faults.addAll(faults("access", "queue.pause"));
        assertThat(faults).isEmpty();
    }

    private List<String> faults(String place, String text) {
        browser.width(1440);
        browser.go(place).sees(text);
        var faults = new ArrayList<String>();
        for (int width : WIDTHS) {
            browser.width(width);
            String where = place + " at " + width + ": ";
            Object wide = browser.run(
                    "return [document.documentElement, ...document.querySelectorAll('.table-wrap, .panel')]"
                            + ".filter(one => one.scrollWidth > one.clientWidth + 1)"
                            + ".map(one => `${one.tagName} ${one.className} ${one.scrollWidth} > ${one.clientWidth}`).join()");
            // Fixed words stay on one line, unless the row is shown as a card.
            Object broken = browser.run("return innerWidth < 1024 ? '' : [...document.querySelectorAll('td.once')]"
                    + ".filter(one => one.innerText.includes('\\n')).map(one => one.innerText).join()");
            // A name may take two lines; broken into letters, its cell would be far higher than wide.
            Object columns = browser.run(
                    "return [...document.querySelectorAll('td')].filter(one => one.innerText.trim().length > 3"
                            + " && one.clientHeight > 6 * one.clientWidth && one.clientWidth > 0).map(one => one.innerText).join()");
            Object labels =
                    browser.run("return [...document.querySelectorAll('.label')].filter(one => one.clientHeight > "
                            + TALLEST_LABEL + ").map(one => `${one.clientHeight} px: ${one.innerText}`).join()");
            for (Object fault : List.of(wide, broken, columns, labels)) {
                if (!fault.equals("")) {
                    faults.add(where + fault);
                }
            }
            if (place.isEmpty()) {
                int tall = Integer.parseInt(browser.run("return document.documentElement.scrollHeight")
                        .toString());
                if (tall >= TALLEST_OVERVIEW) {
                    faults.add(where + tall + " px tall");
                }
            }
        }
        return faults;
    }

    @Test
    void failures_link_to_the_jobs_that_failed_in_the_range_whenever_they_were_created() {
        browser.width(1440);
        browser.go("?range=5m").sees("smtp_451");
        clickFirst(".panels td a", "kind8");
        browser.sees("an hour agoxxxxxxxx").sees("failed 1");
        assertThat(browser.place()).contains("time=finished").contains("since=5m");
        browser.click("Retry all 1 matching…").sees("Retry 1 job?").click("Cancel");
        browser.go("?range=5m").sees("smtp_451");
        clickFirst(".tile", "Failed");
        browser.sees("an hour ago").sees("failed 10");
        browser.choose(".filters label:nth-of-type(4) select", "Created");
        browser.sees("failed 1").sees(WORDS);
        assertThat(browser.text(By.tagName("tbody"))).doesNotContain("an hour ago");
    }

    /** Clicks the first element whose text starts so, once it is drawn: each part of the page is drawn when its data arrives. */
    private void clickFirst(String css, String start) {
        String find =
                "[...document.querySelectorAll('" + css + "')].find(one => one.innerText.startsWith('" + start + "'))";
        browser.until(
                found -> browser.run("return " + find + " !== undefined").equals("true"), () -> css + " " + start);
        browser.run(find + ".click()");
    }

    @Test
    void a_paused_queue_is_not_highlighted_and_waiting_counts_the_same_jobs_on_every_screen() {
        browser.width(1440);
        site.start("{\"definitionKey\":\"" + DOTTED + "\",\"queue\":\"mail\",\"delaySeconds\":3600}");
        browser.go("").sees("1 scheduled for later");
        String mail = "[...document.querySelectorAll('tr')].find(row => row.innerText.startsWith('mail'))";
        browser.until(
                found -> browser.run("return " + mail + " !== undefined").equals("true"), () -> "mail in the overview");
        assertThat(browser.run("return " + mail + ".children[1].innerText")).isEqualTo("1");
        assertThat(site.api.get("/v1/stats").json().get("oldestDueQueue").asText())
                .isNotEqualTo(DASHED);
        browser.go("queues").sees("+ 1 scheduled");
        assertThat(browser.run("return " + mail + ".children[1].innerText")).isEqualTo("1\n+ 1 scheduled");
        for (String queue :
                List.of(DOTTED, "orders", "mail", "media", "gpu", "reports", "search", "imports", "default")) {
            site.api.post("/v1/queues/" + queue + "/pause", "{}");
        }
        browser.go("").sees("paused queues not counted");
        assertThat(browser.all(".tile.is-warn, .panels .warn")).isEmpty();
        for (String queue :
                List.of(DOTTED, "orders", "mail", "media", "gpu", "reports", "search", "imports", "default")) {
            site.api.post("/v1/queues/" + queue + "/resume", "{}");
        }
    }
}
