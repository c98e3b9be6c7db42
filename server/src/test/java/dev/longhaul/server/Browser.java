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

/** Drives a real Chromium on the dashboard by the text on the screen, as a person does. */
public final class Browser implements AutoCloseable {
    private static final Dimension WIDE = new Dimension(1280, 900);
    private static final Dimension PHONE = new Dimension(390, 844);
    private static final Path CHROMIUM = Path.of("/usr/bin/chromium");
    private static final Path DRIVER = Path.of("/usr/bin/chromedriver");
    private static final Path SCREENSHOTS = Path.of("target/screenshots");
    private static final Duration TIMEOUT = Duration.ofSeconds(20);

    private final ChromeDriver driver;
    private final String base;

    private Browser(ChromeDriver driver, String base) {
        this.driver = driver;
        this.base = base;
    }

    /** Starts a browser, or skips the test if none is installed. */
    public static Browser on(int port) {
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

    // Navigation

    /** Opens a screen, such as {@code jobs?status=failed}. */
    public Browser go(String place) {
        driver.get(base + "/#/" + place);
        return this;
    }

    /** Opens a path of the server that is not a screen. */
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

    // Reading

    /** Waits until the text is on the screen. */
    public Browser sees(String text) {
        until(found -> page().contains(text), () -> "'" + text + "' in:\n" + page());
        return this;
    }

    /** The text of the page, on one line. */
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

    void until(ExpectedCondition<Boolean> condition, java.util.function.Supplier<String> expected) {
        new WebDriverWait(driver, TIMEOUT, Duration.ofMillis(50))
                .ignoring(StaleElementReferenceException.class)
                .withMessage(() -> "expected " + expected.get())
                .until(condition);
    }

    // Actions

    /** Clicks the button or link with this label; with an open dialog, only those of the dialog. */
    public Browser click(String label) {
        String labelled = "[normalize-space()='" + label + "']";
        String front = all("dialog[open]").isEmpty() ? "//" : "//dialog[@open]//";
        By where = By.xpath(
                front + "button" + labelled + "|" + front + "a" + labelled + "|" + front + "summary" + labelled);
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
                () -> "a button or link '" + label + "' in:\n" + page());
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

    /** Moves the mouse pointer over an element. */
    Browser point(String css) {
        new Actions(driver).moveToElement(find(css)).perform();
        return this;
    }

    public Object run(String script, Object... arguments) {
        return String.valueOf(((JavascriptExecutor) driver).executeScript(script, arguments));
    }

    /** Like {@link #run}, for a script that passes its result to a callback. */
    Object runAndWait(String script, Object... arguments) {
        driver.manage().timeouts().scriptTimeout(Duration.ofSeconds(60));
        return String.valueOf(((JavascriptExecutor) driver).executeAsyncScript(script, arguments));
    }

    // Screenshots

    /** Takes screenshots in both themes, in a wide window and at phone size. */
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

    /** Overrides the size of the viewport, because windows cannot be as narrow as phones. */
    private void size(Dimension size) {
        driver.executeCdpCommand(
                "Emulation.setDeviceMetricsOverride",
                Map.of("width", size.width, "height", size.height, "deviceScaleFactor", 1, "mobile", false));
    }

    /** Changes the width of the viewport without a reload. */
    void width(int width) {
        size(new Dimension(width, WIDE.height));
    }

    void phone(boolean phone) {
        size(phone ? PHONE : WIDE);
    }

    /** Emulates a touch screen instead of a mouse. */
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
            // Two frames, so that charts are redrawn with the new size and colours.
            runAndWait("requestAnimationFrame(() => requestAnimationFrame(() => arguments[0]()))");
            Files.write(SCREENSHOTS.resolve(name + ".png"), driver.getScreenshotAs(OutputType.BYTES));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** Fails if the browser has logged an error since the last call, such as a failed script or a violation of the content policy. */
    public void assertNoErrors() {
        List<String> errors = driver.manage().logs().get(LogType.BROWSER).getAll().stream()
                .filter(entry -> entry.getLevel().intValue() >= Level.SEVERE.intValue())
                .map(LogEntry::getMessage)
                .toList();
        assertThat(errors).isEmpty();
    }

    /** Discards logged errors that the test expects. */
    public void discardErrors() {
        driver.manage().logs().get(LogType.BROWSER);
    }

    @Override
    public void close() {
        driver.quit();
    }
}
