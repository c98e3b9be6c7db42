package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Checks every screen, form and confirmation with axe-core, in a wide window and at phone size, in both themes. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Order(2) // Slow: starts early, so that other tests run in parallel.
class DashboardAccessibilityTest {
    private Site site;
    private Browser browser;
    private String axe;

    @BeforeAll
    void open() throws IOException {
        site = new Site();
        browser = Browser.on(site.server.port());
        try (InputStream in = getClass().getResourceAsStream("/axe.min.js")) {
            axe = new String(Objects.requireNonNull(in).readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    @AfterAll
    void close() {
        if (browser != null) {
            browser.close();
        }
        site.close();
    }

    @Test
    void no_screen_has_a_serious_violation() throws IOException {
        String failed = site.start(
                "{\"definitionKey\":\"demo.fail\",\"params\":{\"times\":1},\"maxAttempts\":1,\"labels\":{\"a\":\"b\"}}");
        String waiting = site.start("{\"definitionKey\":\"demo.echo\",\"delaySeconds\":3600}");
        String running = site.start("{\"definitionKey\":\"demo.count\",\"params\":{\"to\":10000,\"everyMillis\":100}}");
        site.api.post("/v1/schedules", "{\"key\":\"nightly\",\"definitionKey\":\"demo.echo\",\"cron\":\"0 3 * * *\"}");
        String webhook = site.api
                .post("/v1/webhooks", "{\"url\":\"https://hooks.example.com/\",\"events\":[\"job.failed\"]}")
                .json()
                .get("id")
                .asText();
        String delivery = site.api
                .post("/v1/webhooks/" + webhook + "/test", null)
                .json()
                .get("id")
                .asText();
        site.api.post("/v1/queues/other/pause", "{\"note\":\"later\"}");
        site.longhaul.store().stats().flush();
        var faults = new ArrayList<String>();
        faults.addAll(faults("", "Throughput"));
        faults.addAll(faults("jobs", "demo.count"));
        faults.addAll(faults("jobs?status=failed", "demo.fail"));
        faults.addAll(faults("jobs/" + failed, "exception"));
        faults.addAll(faults("jobs/" + failed + "?tab=runs", "Worker"));
        faults.addAll(faults("jobs/" + failed + "?tab=data", "Result"));
        faults.addAll(faults("jobs/" + failed + "?tab=events", "Details"));
        faults.addAll(faults("jobs/" + waiting, "Why is it not running?"));
        faults.addAll(faults("jobs/" + running, "counted"));
        faults.addAll(faults("queues", "other"));
        faults.addAll(faults("schedules", "nightly"));
        faults.addAll(faults("schedules/nightly", "Next fires"));
        faults.addAll(faults("workers", "active"));
        faults.addAll(faults("webhooks", "hooks.example.com"));
        faults.addAll(faults("webhooks/" + webhook, "webhook.test"));
        faults.addAll(faults("definitions?key=demo.count", "everyMillis"));
        faults.addAll(faults("access", "No keys"));
        faults.addAll(faults("jobs?queue=nowhere", "No jobs match"));
        faults.addAll(faults("jobs?selected=" + failed + "," + waiting, "2 selected"));
        faults.addAll(faults("jobs/" + failed + "?unfolded=stack", "at dev.longhaul"));
        faults.addAll(faults("webhooks/" + webhook + "?delivery=" + delivery, "no response"));
        faults.addAll(faults("nowhere", "Page not found"));
        // Forms
        faults.addAll(faults("jobs?start=demo.count@1", "everyMillis"));
        browser.click("Options").click("Edit as JSON");
        faults.addAll(check("options and JSON of the start form"));
        faults.addAll(faults("jobs/" + waiting + "?edit=yes", "Edit this job"));
        faults.addAll(faults("queues?limit=default", "Queue limit for default"));
        faults.addAll(faults("schedules?new=yes", "03:00"));
        browser.type("[name=cron]", "0 25 * * *").sees("hour: Must be 0-23.");
        faults.addAll(check("an invalid schedule"));
        faults.addAll(faults("schedules/nightly?edit=yes", "Edit schedule nightly"));
        faults.addAll(faults("webhooks?new=yes", "job.retrying"));
        faults.addAll(faults("webhooks/" + webhook + "?edit=yes", "Edit webhook"));
        // Confirmations
        faults.addAll(confirmation("jobs/" + running, "Cancel job", "Cancel this job?"));
        faults.addAll(confirmation("jobs?selected=" + failed, "Retry 1 job", "Retry 1 job?"));
        faults.addAll(confirmation("jobs?queue=default", "Cancel all 2 matching…", "Cancel 2 jobs?"));
        faults.addAll(confirmation("queues", "Pause", "Pause queue default?"));
        faults.addAll(confirmation("schedules/nightly", "Pause", "Pause schedule nightly?"));
        faults.addAll(confirmation("schedules/nightly", "Delete", "Delete schedule nightly?"));
        faults.addAll(confirmation("webhooks/" + webhook, "Delete", "Delete this webhook?"));
        // Closing the server must not wait for it.
        site.api.post("/v1/jobs/" + running + "/cancel", "{}");
        browser.go("workers").sees("active");
        browser.press("?");
        faults.addAll(check("keyboard shortcuts"));
        browser.go("access").type("[name=name]", "first").click("Create key").sees("Create the first key?");
        faults.addAll(check("confirmation of the first key"));
        browser.click("Create admin key").sees("The secret of first");
        faults.addAll(check("secret of the first key"));
        browser.click("Log out").sees("You are logged out.");
        faults.addAll(check("login"));
        assertThat(faults).isEmpty();
    }

    private List<String> faults(String place, String text) throws IOException {
        browser.go(place).sees(text);
        return check(place);
    }

    private List<String> confirmation(String place, String button, String title) throws IOException {
        browser.go(place).click(button).sees(title);
        List<String> found = check(title);
        browser.back();
        return found;
    }

    /** Checks all rules in the light theme; in the dark theme only colours can differ. */
    private List<String> check(String name) throws IOException {
        if (browser.run("return window.axe === undefined").equals("true")) {
            browser.run(axe);
        }
        var serious = new ArrayList<String>();
        for (boolean phone : List.of(true, false)) {
            browser.phone(phone);
            String where = (phone ? "phone, " : "wide, ") + name;
            browser.theme("dark");
            serious.addAll(serious("dark, " + where, "runOnly: ['color-contrast']"));
            browser.theme("light");
            serious.addAll(serious("light, " + where, ""));
        }
        return serious;
    }

    private List<String> serious(String where, String options) throws IOException {
        String found = String.valueOf(browser.runAndWait("const done = arguments[arguments.length - 1];"
                // The page below an open dialog was checked without the dialog.
                + "axe.run(document.querySelector('dialog[open]') ?? document, { resultTypes: ['violations'], preload: false, "
                + options + " }"
                + ").then(r => done(JSON.stringify(r.violations.map(v => ({id: v.id, impact: v.impact,"
                + " nodes: v.nodes.slice(0, 3).map(n => n.html.slice(0, 160) + ' ' + n.failureSummary)})))))"));
        var serious = new ArrayList<String>();
        for (JsonNode fault : Api.JSON.readTree(found)) {
            String impact = fault.get("impact").asText();
            if (impact.equals("serious") || impact.equals("critical")) {
                serious.add(where + ": " + fault);
            }
        }
        return serious;
    }
}
