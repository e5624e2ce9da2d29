package dev.roost.daemon.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.io.File;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeEach;
import org.openqa.selenium.By;
import org.openqa.selenium.NoSuchElementException;
import org.openqa.selenium.OutputType;
import org.openqa.selenium.StaleElementReferenceException;
import org.openqa.selenium.WebElement;
import org.openqa.selenium.chrome.ChromeDriver;
import org.openqa.selenium.chrome.ChromeDriverService;
import org.openqa.selenium.chrome.ChromeOptions;
import org.openqa.selenium.logging.LogType;
import org.openqa.selenium.logging.LoggingPreferences;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The page in Debian's Chromium. Screenshots are written to {@code target/page}. */
public abstract class BrowserFixture extends HttpFixture {

    private static final Path PICTURES = Path.of("target", "page");

    private static @Nullable ChromeDriver chromium;

    public static ChromeDriver browser() {
        if (chromium == null) {
            var options = new ChromeOptions();
            options.setBinary("/usr/bin/chromium");
            options.addArguments(
                    "--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--hide-scrollbars");
            var logs = new LoggingPreferences();
            logs.enable(LogType.BROWSER, java.util.logging.Level.ALL);
            options.setCapability("goog:loggingPrefs", logs);
            var service = new ChromeDriverService.Builder()
                    .usingDriverExecutable(new File("/usr/bin/chromedriver"))
                    .usingAnyFreePort()
                    .build();
            chromium = new ChromeDriver(service, options);
        }
        return chromium;
    }

    @AfterAll
    static void closeBrowser() {
        if (chromium != null) chromium.quit();
        chromium = null;
    }

    @BeforeEach
    void freshBrowser() throws IOException {
        var agent = scratch.resolve("bin/claude");
        Files.createDirectories(agent.getParent());
        try (var script = Objects.requireNonNull(BrowserFixture.class.getResourceAsStream("/claude-on-stage"))) {
            Files.copy(script, agent);
        }
        assertThat(agent.toFile().setExecutable(true)).isTrue();
        browser().get("about:blank");
        browser().executeCdpCommand("Network.clearBrowserCookies", Map.of());
        wide();
        scheme("light");
        var _ = complaints(); // about the test before
    }

    public static void wide() {
        size(1440, 900, 1, false);
    }

    public static void phone() {
        size(390, 844, 2, true);
    }

    private static void size(int width, int height, int scale, boolean mobile) {
        browser()
                .executeCdpCommand(
                        "Emulation.setDeviceMetricsOverride",
                        Map.of("width", width, "height", height, "deviceScaleFactor", scale, "mobile", mobile));
    }

    public static void scheme(String which) {
        browser()
                .executeCdpCommand(
                        "Emulation.setEmulatedMedia",
                        Map.of("features", List.of(Map.of("name", "prefers-color-scheme", "value", which))));
    }

    public String link() throws IOException {
        return call("web", operator()).path("link").asString();
    }

    public void signIn() throws IOException {
        browser().get(link());
        await().atMost(SOON).until(() -> browser().getTitle().contains("Fleet"));
        awaitLive();
    }

    public static void awaitLive() {
        await().atMost(SOON).until(() -> text("#link").equals("live"));
    }

    public static @Nullable Object js(String script, Object... arguments) {
        return browser().executeScript(script, arguments);
    }

    /** What can be read there; nothing if it is not there. */
    public static String text(String selector) {
        try {
            return browser().findElement(By.cssSelector(selector)).getText();
        } catch (NoSuchElementException | StaleElementReferenceException e) {
            return "";
        }
    }

    public static WebElement element(String selector) {
        await().atMost(SOON)
                .until(() -> !browser().findElements(By.cssSelector(selector)).isEmpty());
        return browser().findElement(By.cssSelector(selector));
    }

    /** Clicks it, as it is then: the page may just be putting a newer one in its place. */
    public static void click(String selector) {
        await().atMost(SOON)
                .ignoreException(StaleElementReferenceException.class)
                .untilAsserted(() -> element(selector).click());
    }

    public static void awaitText(String selector, String... words) {
        await().atMost(SOON).untilAsserted(() -> assertThat(text(selector)).contains(words));
    }

    /** A reload of the page removes this mark. */
    public static void mark() {
        js("window.notReloaded = true");
    }

    public static void assertNotReloaded() {
        assertThat(js("return window.notReloaded === true")).isEqualTo(true);
    }

    public static void picture(String name) throws IOException {
        Files.createDirectories(PICTURES);
        Files.write(PICTURES.resolve(name + ".png"), browser().getScreenshotAs(OutputType.BYTES));
    }

    /** What the browser itself complains about: scripts that failed, things that the policy kept out. */
    public static List<String> complaints() {
        return browser().manage().logs().get(LogType.BROWSER).getAll().stream()
                .map(entry -> entry.getLevel() + " " + entry.getMessage())
                .filter(line -> !line.contains("ERR_CONNECTION_REFUSED") && !line.contains("ERR_INCOMPLETE_CHUNKED"))
                .toList();
    }

    /** The rules of accessibility that the page breaks seriously. */
    public static List<String> barriers() throws IOException {
        try (var axe = Objects.requireNonNull(BrowserFixture.class.getResourceAsStream("/axe.min.js"))) {
            js(new String(axe.readAllBytes(), StandardCharsets.UTF_8));
        }
        var found = (String)
                browser()
                        .executeAsyncScript(
                                "const done = arguments[0]; axe.run(document).then(r => done(JSON.stringify(r.violations.map("
                                        + "v => ({id: v.id, impact: v.impact, nodes: v.nodes.map(n => n.html.slice(0, 160))})))))");
        return JSON.readTree(found)
                .valueStream()
                .filter(one -> List.of("serious", "critical")
                        .contains(one.path("impact").asString()))
                .map(JsonNode::toString)
                .toList();
    }

    public ObjectNode agent(String owner, String name, String prompt) {
        var params = operator()
                .put("owner", owner)
                .put("name", name)
                .put("agent", "claude")
                .put("prompt", prompt)
                .put("on_loss", "report")
                .put("cwd", scratch.toString());
        params.putObject("env")
                .put("PATH", scratch.resolve("bin") + ":" + System.getenv("PATH"))
                .put("HOME", scratch.toString())
                .put("SCRATCH", scratch.toString());
        return params;
    }

    public String begin(ObjectNode params) throws IOException {
        return call("start", params).path("run_id").asString();
    }

    public String command(String owner, String name, String script) throws IOException {
        var params =
                task("sh", "-c", script).put("owner", owner).put("name", name).put("operator", true);
        return begin(params);
    }

    public Path repository() throws Exception {
        var repository = scratch.resolve("repository");
        var script =
                "git init -q -b main \"$0\" && cd \"$0\" && for i in 1 2 3; do echo one >f$i.txt; done && git add -A"
                        + " && git -c user.name=x -c user.email=x@example.org commit -qm first";
        var git = new ProcessBuilder("sh", "-c", script, repository.toString())
                .inheritIO()
                .start();
        assertThat(git.waitFor()).isZero();
        return repository;
    }
}
