package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.Collectors;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.Order;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;

/** Tests of the dashboard's address; {@link DashboardTest} continues with the same server and browser. */
abstract class DashboardAddress {
    Site site;
    Browser browser;

    @BeforeAll
    void open() {
        site = new Site();
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
    void logs_no_errors() {
        browser.assertNoErrors();
    }

    @Test
    @Order(10)
    void the_next_page_begins_below_the_last_row_while_jobs_arrive() {
        site.hold("pages", 60);
        browser.go("jobs?queue=pages").point("h1").sees("Next page");
        // Checks the page after each change of the DOM.
        browser.run(
                "window.gaps = []; new MutationObserver(() => {"
                        + "const last = [...document.querySelectorAll('tr[data-id]')].at(-1)?.dataset.id;"
                        + "const next = [...document.querySelectorAll('.pages a')].find(a => a.innerText === 'Next page')?.href;"
                        + "if (last && next && !next.includes(`cursor=${last}`)) gaps.push(`${last} ${next}`);"
                        + "}).observe(document.querySelector('jobs-screen'), { subtree: true, childList: true, attributes: true })");
        for (int i = 0; i < 2; i++) {
            String newest = site.hold("pages", 20);
            browser.find("tr[data-id='" + newest + "']");
        }
        site.hold("pages", 20);
        String rows = "const rows = [...document.querySelectorAll('tr[data-id]')].map(row => row.dataset.id);";
        String first = browser.run(rows + "document.querySelector('.pages a').click(); return rows.join()")
                .toString();
        browser.sees("First page");
        String second = browser.run(rows + "return rows.join()").toString();
        assertThat(browser.run("return window.gaps.join()")).isEqualTo("");
        assertThat(first + "," + second)
                .as("all jobs of two pages")
                .isEqualTo(site.api.get("/v1/jobs?queue=pages&limit=500").json().findValuesAsText("jobId").stream()
                        .dropWhile(id -> !first.startsWith(id))
                        .limit(100)
                        .collect(Collectors.joining(",")));
    }

    @Test
    @Order(11)
    void selected_rows_are_in_the_address_but_not_in_the_history() {
        browser.go("queues").sees("pages");
        browser.go("jobs?queue=pages").sees("Next page");
        List<String> ids = browser.all("tr[data-id]").stream()
                .limit(2)
                .map(row -> row.getDomAttribute("data-id"))
                .toList();
        ids.forEach(id -> browser.find("tr[data-id='" + id + "'] input").click());
        browser.sees("2 selected");
        assertThat(browser.place()).isEqualTo("jobs?queue=pages&selected=" + String.join(",", ids));
        // Moves the selected jobs beyond the first page.
        site.hold("pages", 60);
        browser.reload();
        browser.sees("2 selected").click("Cancel 2 jobs").sees("Cancel 2 jobs?");
        browser.back();
        browser.until(found -> browser.all("dialog[open]").isEmpty(), () -> "the confirmation to be closed");
        ids.forEach(
                id -> assertThat(browser.find("tr[data-id='" + id + "'] input").isSelected())
                        .isTrue());
        browser.click("Clear selection");
        assertThat(browser.place()).isEqualTo("jobs?queue=pages");
        browser.run("scrollTo(0, 700); document.querySelectorAll('.row-link')[20].click()");
        browser.sees("Copy as curl");
        browser.back();
        browser.until(found -> browser.run("return scrollY").equals("700"), () -> "the scroll position to be restored");
        browser.back();
        browser.sees("Oldest due");
    }

    @Test
    @Order(11)
    void nothing_moves_on_a_touch_screen_while_jobs_arrive() {
        browser.phone(true);
        browser.touch(true);
        browser.go("jobs?queue=pages").sees("live").sees("Next page");
        String before = browser.text(By.cssSelector("tbody .mono"));
        browser.run("window.moved = []; new PerformanceObserver(list => moved.push(...list.getEntries()"
                + ".map(one => one.sources.map(source => source.node?.outerHTML)))).observe({ type: 'layout-shift' })");
        site.hold("pages", 20);
        browser.sees("Show 20 new jobs");
        assertThat(browser.text(By.cssSelector("tbody .mono"))).isEqualTo(before);
        assertThat(browser.run("return window.moved.join()")).isEqualTo("");
        browser.touch(false);
        browser.phone(false);
    }

    @Test
    @Order(12)
    void open_dialogs_are_in_the_address_and_closed_by_going_back() {
        String id = site.start("{\"definitionKey\":\"demo.echo\",\"delaySeconds\":3600}");
        opens("jobs", "Start a job", "start=yes", "Options");
        opens("jobs/" + id, "Edit job", "edit=yes", "Edit this job");
        opens("queues", "Set limit", "limit=default", "Queue limit for default");
        opens("schedules", "New schedule", "new=yes", "03:00");
        opens("webhooks", "New webhook", "new=yes", "job.retrying");
        browser.go("workers").click("4 definitions").sees("demo.count@1");
        browser.until(
                found -> browser.place().startsWith("workers?unfolded="),
                () -> "the unfolded row in " + browser.place());
        browser.reload();
        browser.sees("demo.count@1");
    }

    void opens(String place, String button, String address, String text) {
        browser.go(place).click(button).sees(text);
        assertThat(browser.place()).isEqualTo(place + "?" + address);
        browser.reload();
        browser.sees(text).find("dialog[open]");
        browser.back();
        browser.until(found -> browser.all("dialog[open]").isEmpty(), () -> button + " to be closed");
        assertThat(browser.place()).isEqualTo(place);
    }
}
