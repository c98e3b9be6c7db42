package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.JsonNode;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;
import org.junit.jupiter.api.io.TempDir;

/** Every screen under axe-core, in both themes. */
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
@Order(2) // It takes long: the others run beside it.
class DashboardAccessibilityTest {
    private Site site;
    private Browser browser;
    private String axe;

    @BeforeAll
    void open(@TempDir Path home) throws IOException {
        site = new Site(home);
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
    void no_screen_has_a_serious_fault() throws IOException {
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
        site.api.post("/v1/webhooks/" + webhook + "/test", null);
        site.api.post("/v1/queues/other/pause", "{\"note\":\"later\"}");
        site.longhaul.store().stats().flush();
        var faults = new ArrayList<String>();
        faults.addAll(faults("", "Throughput"));
        faults.addAll(faults("jobs", "demo.count"));
        faults.addAll(faults("jobs?status=failed", "demo.fail"));
        faults.addAll(faults("jobs/" + failed, "exception"));
        faults.addAll(faults("jobs/" + failed + "?tab=runs", "Worker"));
        faults.addAll(faults("jobs/" + failed + "?tab=data", "Result"));
        faults.addAll(faults("jobs/" + failed + "?tab=events", "What it says"));
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
        browser.go("jobs").click("Start a job").sees("Params");
        faults.addAll(check("the form to start a job"));
        browser.click("Close");
        browser.go("webhooks").click("New webhook").sees("job.retrying");
        faults.addAll(check("the form of a webhook"));
        browser.click("Close");
        browser.go("schedules").click("New schedule").sees("03:00");
        faults.addAll(check("the form of a schedule"));
        browser.click("Close");
        assertThat(faults).isEmpty();
    }

    private List<String> faults(String place, String sight) throws IOException {
        browser.go(place).sees(sight);
        return check(place);
    }

    /** All rules in light; in dark only colours can differ. */
    private List<String> check(String what) throws IOException {
        if (browser.run("return window.axe === undefined").equals("true")) {
            browser.run(axe);
        }
        List<String> serious = serious("light " + what, "{ resultTypes: ['violations'] }");
        browser.theme("dark");
        serious.addAll(serious("dark " + what, "{ resultTypes: ['violations'], runOnly: ['color-contrast'] }"));
        browser.theme("light");
        return serious;
    }

    private List<String> serious(String where, String options) throws IOException {
        String found = String.valueOf(browser.runAndWait("const done = arguments[arguments.length - 1];"
                + "axe.run(" + options
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
