package dev.longhaul.server;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.logging.Level;
import org.junit.jupiter.api.Assumptions;
import org.openqa.selenium.By;
import org.openqa.selenium.Dimension;
import org.openqa.selenium.JavascriptExecutor;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.interactions.Actions;
import org.openqa.selenium.logging.LogEntry;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import org.openqa.selenium.support.ui.ExpectedCondition;
import org.openqa.selenium.support.ui.WebDriverWait;

/** A real Chromium on the dashboard, used as a person would: by what is written on the screen. */
public final class Browser implements AutoCloseable {
    private static final Dimension WIDE = new Dimension(1280, 900);
    private static final Dimension PHONE = new Dimension(390, 844);
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
    private static final Path SCREENSHOTS = Path.of("target/screenshots");
    private static final Duration PATIENCE = Duration.ofSeconds(20);

    private final ChromeDriver driver;
    private final String base;

    private Browser(ChromeDriver driver, String base) {
        this.driver = driver;
        this.base = base;
    }

    /** Starts one, or skips the test where there is none. */
    public static Browser on(int port) {
        if (!Files.isExecutable(CHROMIUM) || !Files.isExecutable(DRIVER)) {
            String skipped = "SKIPPED: no browser here (apt-get install chromium chromium-driver)";
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
                "--disable-background-networking",
                "--disable-component-update",
                "--disable-sync",
                "--no-first-run",
                "--lang=en");
        var logs = new LoggingPreferences();
        logs.enable(LogType.BROWSER, Level.ALL);
        options.setCapability("goog:loggingPrefs", logs);
        var service = new ChromeDriverService.Builder()
                .usingDriverExecutable(DRIVER.toFile())
                .build();
        var driver = new ChromeDriver(service, options);
        var browser = new Browser(driver, "http://127.0.0.1:" + port);
        browser.size(WIDE);
        return browser;
    }

    // Going places

    /** Goes to a screen, such as {@code jobs?status=failed}. */
    public Browser go(String place) {
        driver.get(base + "/#/" + place);
        return this;
    }

    /** Opens an address of the server that names no screen. */
    public Browser open(String path) {
        driver.get(base + path);
        return this;
    }

    String place() {
        return Objects.requireNonNull(driver.getCurrentUrl()).replaceFirst("^[^#]*#/?", "");
    }

    public void back() {
        driver.navigate().back();
    }

    void reload() {
        driver.navigate().refresh();
    }

    // Looking

    /** Waits until that is on the screen. */
    public Browser sees(String text) {
        until(found -> page().contains(text), () -> "'" + text + "' in:\n" + page());
        return this;
    }

    /** All that is written on the screen, in one line. */
    String page() {
        return String.valueOf(run("return document.body.innerText")).replaceAll("\\s+", " ");
    }

    String text(By where) {
        try {
            return driver.findElement(where).getText();
        } catch (StaleElementReferenceException e) {
            return "";
        }
    }

    WebElement find(String css) {
        until(found -> !driver.findElements(By.cssSelector(css)).isEmpty(), () -> css + " in:\n" + page());
        return driver.findElement(By.cssSelector(css));
    }

    List<WebElement> all(String css) {
        return driver.findElements(By.cssSelector(css));
    }

    void until(ExpectedCondition<Boolean> condition, java.util.function.Supplier<String> wanted) {
        new WebDriverWait(driver, PATIENCE, Duration.ofMillis(50))
                .ignoring(StaleElementReferenceException.class)
                .withMessage(() -> "expected " + wanted.get())
                .until(condition);
    }

    // Acting

    /** Presses the button, or follows the link, that says this, where it is in front. */
    public Browser click(String label) {
        String says = "[normalize-space()='" + label + "']";
        String front = all("dialog[open]").isEmpty() ? "//" : "//dialog[@open]//";
        By where = By.xpath(front + "button" + says + "|" + front + "a" + says + "|" + front + "summary" + says);
        until(
                found -> {
                    List<WebElement> shown = driver.findElements(where).stream()
                            .filter(one -> one.isDisplayed() && one.isEnabled())
                            .toList();
                    if (!shown.isEmpty()) {
                        shown.get(0).click();
                    }
                    return !shown.isEmpty();
                },
                () -> "something to click that says '" + label + "' in:\n" + page());
        return this;
    }

    public Browser type(String css, String text) {
        WebElement field = find(css);
        field.clear();
        field.sendKeys(text);
        return this;
    }

    public Browser choose(String css, String option) {
        new org.openqa.selenium.support.ui.Select(find(css)).selectByVisibleText(option);
        return this;
    }

    void press(CharSequence... keys) {
        driver.findElement(By.tagName("body")).sendKeys(keys);
    }

    /** Points at something, as with a mouse. */
    Browser point(String css) {
        new Actions(driver).moveToElement(find(css)).perform();
        return this;
    }

    public Object run(String script, Object... arguments) {
        return String.valueOf(((JavascriptExecutor) driver).executeScript(script, arguments));
    }

    /** Like {@link #run}, of a script that calls back with its answer. */
    Object runAndWait(String script, Object... arguments) {
        driver.manage().timeouts().scriptTimeout(Duration.ofSeconds(60));
        return String.valueOf(((JavascriptExecutor) driver).executeAsyncScript(script, arguments));
    }

    // Pictures

    /** Takes pictures of the screen: light and dark, wide and as on a phone. */
    void picture(String name) {
        for (Dimension size : List.of(PHONE, WIDE)) {
            size(size);
            for (String theme : List.of("dark", "light")) {
                theme(theme);
                save(name + "-" + theme + (size.equals(WIDE) ? "" : "-phone"));
            }
            assertThat(run("return document.documentElement.scrollWidth > innerWidth"))
                    .as(name + " is wider than " + size)
                    .isEqualTo("false");
        }
    }

    /** Of the page, as a device has it: windows cannot be as narrow as phones. */
    private void size(Dimension size) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", size.width, "height", size.height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Changes the width of the page, without loading it again. */
    void width(int width) {
        size(new Dimension(width, WIDE.height));
    }

    void phone(boolean phone) {
        size(phone ? PHONE : WIDE);
    }

    /** Whether it is used by fingers instead of a mouse. */
    void touch(boolean touch) {
        driver.executeCdpCommand("Emulation.setTouchEmulationEnabled", Map.of("enabled", touch));
    }

    void theme(String theme) {
        driver.executeCdpCommand(
                "Emulation.setEmulatedMedia",
                Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", theme))));
    }

    private void save(String name) {
        try {
            Files.createDirectories(SCREENSHOTS);
            // Two frames, so that charts have taken the new size and colours.
            runAndWait("requestAnimationFrame(() => requestAnimationFrame(() => arguments[0]()))");
            Files.write(SCREENSHOTS.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Fails if a page has complained since this was asked last: a script that failed, or a breach of the content policy. */
    public void hasNothingToComplain() {
        List<String> complaints = driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.SEVERE.intValue())
                .map(LogEntry::getMessage)
                .toList();
        assertThat(complaints).isEmpty();
    }

    /** Forgets what pages have complained of, where that was wanted. */
    public void forgetComplaints() {
        driver.manage().logs().get(LogType.BROWSER);
    }

    @Override
    public void close() {
        driver.quit();
    }
}
