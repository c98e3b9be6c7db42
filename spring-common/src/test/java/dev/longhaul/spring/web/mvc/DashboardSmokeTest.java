package dev.longhaul.spring.web.mvc;

import static org.assertj.core.api.Assertions.assertThat;

import dev.longhaul.JobDefinition;
import dev.longhaul.Longhaul;
import dev.longhaul.queue.QueueStats;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.function.Predicate;
import org.junit.jupiter.api.Assumptions;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.WebDriverException;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.support.ui.WebDriverWait;

/** The dashboard in a browser, behind the application's login form and its CSRF protection. */
class DashboardSmokeTest {
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");

    record Name(String name) {}

    private static ChromeDriver browser() {
        if (!Files.isExecutable(CHROMIUM) || !Files.isExecutable(DRIVER)) {
            String skipped = "SKIPPED: no browser installed (apt-get install chromium chromium-driver)";
            System.out.println(skipped);
            Assumptions.abort(skipped);
        }
        var options = new ChromeOptions();
        options.setBinary(CHROMIUM.toString());
        options.addArguments(
                "--headless=new",
                "--no-sandbox",
                "--disable-gpu",
                "--disable-dev-shm-usage",
                "--no-first-run",
                "--lang=en");
        var service = new ChromeDriverService.Builder()
                .usingDriverExecutable(DRIVER.toFile())
                .build();
        return new ChromeDriver(service, options);
    }

    /** Waits; the page may be drawn again between two requests of the driver. */
    private static void until(ChromeDriver browser, Predicate<ChromeDriver> condition) {
        new WebDriverWait(browser, Duration.ofSeconds(20))
                .ignoring(WebDriverException.class)
                .until(driver -> condition.test(browser));
    }

    private static String page(ChromeDriver browser) {
        return String.valueOf(browser.executeScript("return document.body.innerText"));
    }

    private static void sees(ChromeDriver browser, String text) {
        until(browser, driver -> page(driver).contains(text));
    }

    private static void click(ChromeDriver browser, By where) {
        until(browser, driver -> {
            driver.findElement(where).click();
            return true;
        });
    }

    private static void logIn(ChromeDriver browser, TomcatSite site, String user) {
        browser.get("http://127.0.0.1:" + site.port() + "/app/longhaul");
        browser.findElement(By.name("username")).sendKeys(user);
        browser.findElement(By.name("password")).sendKeys(user);
        click(browser, By.cssSelector("button[type=submit]"));
    }

    @Test
    void shows_jobs_to_the_applications_user_and_sends_changes() throws Exception {
        var greet = JobDefinition.of("test.greet", Name.class, Name.class).handler((name, context) -> name);
        try (var longhaul = Longhaul.builder().memory().register(greet).start();
                var site = new TomcatSite(longhaul, true)) {
            longhaul.now(greet, new Name("Ada"));
            ChromeDriver browser = browser();
            try {
                logIn(browser, site, "operator");
                sees(browser, "operator");
                String base = "http://127.0.0.1:" + site.port() + "/app/longhaul/";
                assertThat(browser.getCurrentUrl()).startsWith(base);
                browser.get(base + "#/jobs");
                sees(browser, "test.greet");
                assertThat(page(browser)).doesNotContain("Log out", "Keys");

                pausesAQueue(browser, longhaul, base);

                browser.manage().deleteAllCookies();
                sees(browser, "your session has expired");
            } finally {
                browser.quit();
            }
        }
    }

    private static void pausesAQueue(ChromeDriver browser, Longhaul longhaul, String base) {
        browser.get(base + "#/queues");
        sees(browser, "default");
        click(browser, By.xpath("//button[normalize-space()='Pause']"));
        click(browser, By.cssSelector("dialog[open] button[type=submit]"));
        sees(browser, "Queue default paused.");
        assertThat(longhaul.store().queues().all())
                .filteredOn(queue -> queue.queue().equals("default"))
                .singleElement()
                .extracting(QueueStats::pause)
                .isNotNull();
    }

    /** Such an application expects the token of its cookie, not the masked one of the session. */
    @Test
    void sends_changes_to_an_application_configured_for_single_pages() throws Exception {
        var greet = JobDefinition.of("test.greet", Name.class, Name.class).handler((name, context) -> name);
        try (var longhaul = Longhaul.builder().memory().register(greet).start();
                var site = new TomcatSite(longhaul, TomcatSite.SinglePageSecurity.class)) {
            longhaul.now(greet, new Name("Ada"));
            ChromeDriver browser = browser();
            try {
                logIn(browser, site, "operator");
                sees(browser, "operator");
                pausesAQueue(browser, longhaul, "http://127.0.0.1:" + site.port() + "/app/longhaul/");
            } finally {
                browser.quit();
            }
        }
    }

    @Test
    void tells_a_user_without_a_role_what_is_missing() throws Exception {
        try (var longhaul = Longhaul.builder().memory().start();
                var site = new TomcatSite(longhaul, true)) {
            ChromeDriver browser = browser();
            try {
                logIn(browser, site, "nobody");
                sees(browser, "No access to Longhaul");
                assertThat(page(browser)).contains("ROLE_USER", "ROLE_LONGHAUL_VIEWER", "ask its administrator");
            } finally {
                browser.quit();
            }
        }
    }
}
