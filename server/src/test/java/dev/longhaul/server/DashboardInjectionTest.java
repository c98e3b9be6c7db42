package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobDefinition;
import dev.longhaul.catalog.WorkerReport;
import dev.longhaul.job.DefinitionRef;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.TestInstance;

/** Puts scripts into every text that users can write: the dashboard shows them, and none of them runs. */
@Tag("full")
@TestInstance(TestInstance.Lifecycle.PER_CLASS)
class DashboardInjectionTest {
    private static final List<String> CORPUS = List.of(
            "<script>window.harmed=1</script>",
            "<img src=x onerror=window.harmed=1>",
            "\"><svg onload=window.harmed=1>",
            "'-window.harmed=1-'",
            "javascript:window.harmed=1",
            "<a href=javascript:window.harmed=1>x</a>",
            "</title></textarea></style><script>window.harmed=1</script>",
            "${window.harmed=1}{{constructor.constructor('window.harmed=1')()}}",
            "<iframe srcdoc='<script>parent.harmed=1</script>'></iframe>",
            "\u001b[31m<b onmouseover=window.harmed=1>\u001b]8;;javascript:window.harmed=1\u0007x",
            "<!--<img src='--><img src=x onerror=window.harmed=1>'>",
            "\u202e<details open ontoggle=window.harmed=1>");

    private Site site;
    private Browser browser;

    @BeforeAll
    void open() {
        site = new Site(JobDefinition.of("evil", Map.class, Map.class)
                .maxAttempts(1)
                .handler((params, run) -> {
                    String text = String.valueOf(params.get("text"));
                    run.log().info(text);
                    run.log().error("%s %s".formatted(text, text));
                    run.progress(50, text);
                    throw new IllegalStateException(text);
                }));
        browser = Browser.on(site.server.port());
    }

    @AfterAll
    void close() {
        if (browser != null) {
            browser.close();
        }
        site.close();
    }

    private static String json(Object value) {
        try {
            return Api.JSON.writeValueAsString(value);
        } catch (java.io.IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    @Test
    void names_of_definitions_and_queues_cannot_contain_scripts() {
        for (String text : CORPUS) {
            assertThat(site.api
                            .post("/v1/jobs", json(Map.of("definitionKey", text)))
                            .status())
                    .isEqualTo(400);
            assertThat(site.api
                            .post("/v1/jobs", json(Map.of("definitionKey", "evil", "queue", text)))
                            .status())
                    .isEqualTo(400);
        }
    }

    @Test
    void no_script_runs_on_any_screen() {
        for (int i = 0; i < CORPUS.size(); i++) {
            plant(i, CORPUS.get(i));
        }
        for (int i = 0; i < CORPUS.size(); i++) {
            String id = site.start(json(Map.of(
                    "definitionKey", "evil",
                    "name", printable(CORPUS.get(i)),
                    "correlationId", printable(CORPUS.get(i)),
                    "labels", Map.of("evil", printable(CORPUS.get(i))),
                    "params", Map.of("text", CORPUS.get(i), CORPUS.get(i), CORPUS.get(i)))));
            browser.go("jobs/" + id).sees("failed");
            browser.go("jobs/" + id + "?tab=runs").sees("Worker");
            browser.go("jobs/" + id + "?tab=data").sees("Params");
            browser.go("jobs/" + id + "?tab=events").sees("Details");
            unharmed(CORPUS.get(i));
            browser.go("schedules/evil-" + i).sees("Next fires");
            unharmed(CORPUS.get(i));
        }
        for (String screen : List.of(
                "", "jobs", "queues", "schedules", "workers", "webhooks", "definitions?key=declared-0", "access")) {
            browser.go(screen).sees("Longhaul");
            browser.sees(screen.isEmpty() ? "Failures" : "Keys and audit");
            unharmed(screen);
        }
        // Also where the address itself contains the script.
        for (String text : CORPUS) {
            String escaped = java.net.URLEncoder.encode(printable(text), java.nio.charset.StandardCharsets.UTF_8);
            browser.go("jobs?name=" + escaped + "&label.x=" + escaped + "&queue=" + escaped)
                    .sees("Jobs");
            browser.go(escaped + "/" + escaped).sees("Longhaul");
            unharmed(text);
        }
        browser.go("definitions").sees("declared-0").click("Start job");
        browser.sees("Params");
        unharmed("the form");
    }

    /** Stores the text in a worker report, queue, definition and schedule. */
    private void plant(int i, String text) {
        var store = site.longhaul.store();
        store.catalog()
                .seen(new WorkerReport(
                        text + i,
                        text,
                        1,
                        text,
                        List.of("default"),
                        Set.of(new DefinitionRef("evil", 1)),
                        1,
                        0,
                        false));
        store.queues().pause("evil-" + i, text, text);
        String schema = json(Map.of(
                "type",
                "object",
                "title",
                text,
                "description",
                text,
                "properties",
                Map.of(text, Map.of("type", "string", "title", text, "description", text, "default", text))));
        assertThat(site.api
                        .send("PUT", "/v1/definitions/declared-" + i + "@1", "{\"paramsSchema\":" + schema + "}")
                        .status())
                .isEqualTo(200);
        var created = site.api.post(
                "/v1/schedules",
                json(Map.of(
                        "key",
                        "evil-" + i,
                        "name",
                        printable(text),
                        "definitionKey",
                        "evil",
                        "everySeconds",
                        86400,
                        "labels",
                        Map.of("evil", printable(text)),
                        "params",
                        Map.of(text, text))));
        assertThat(created.status()).as(created.body()).isEqualTo(201);
        site.api.post("/v1/schedules/evil-" + i + "/pause", json(Map.of("note", text)));
    }

    /** Labels and names must not contain control characters. */
    private static String printable(String text) {
        return text.replaceAll("\\p{Cntrl}", "");
    }

    private void unharmed(String where) {
        assertThat(browser.run("return window.harmed === undefined")).as(where).isEqualTo("true");
        browser.assertNoErrors();
    }
}
