package dev.roost.bench;

import dev.roost.bench.system.DaemonConnection;
import dev.roost.bench.system.LauncherDaemon;
import dev.roost.bench.system.WebDriverBrowser;
import dev.roost.home.Home;
import dev.roost.ledger.SqliteLedger;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.ledger.record.ImportedAttempt;
import dev.roost.ledger.record.NewRun;
import dev.roost.model.Budget;
import dev.roost.model.Evidence;
import dev.roost.model.Outcome;
import dev.roost.model.Owner;
import dev.roost.model.RunId;
import dev.roost.os.SystemClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;

/** The size of the page, its time to first paint, and the time until an end appears on it. */
final class PageBenchmark {

    private static final int MANY = 5000;
    private static final int LOADS = 15;
    private static final int ENDS = 40;

    private PageBenchmark() {}

    static Map<String, String> measure(LauncherDaemon roost) throws Exception {
        var home = roost.home;
        var figures = new LinkedHashMap<String, String>();
        round(home, "a few runs", figures);
        roost.command("daemon", "stop");
        fill(home);
        roost.command("daemon", "start");
        try {
            round(home, "%d runs".formatted(MANY), figures);
        } finally {
            roost.command("daemon", "stop");
        }
        return figures;
    }

    private static void fill(Path home) {
        var clock = new SystemClock();
        var since = clock.now().minus(Duration.ofDays(3));
        try (var ledger = SqliteLedger.open(Home.open(home).ledger(), clock);
                var threads = Executors.newFixedThreadPool(64)) {
            for (int i = 0; i < MANY; i++) {
                var began = since.plusSeconds(i);
                var run = new NewRun(
                        RunId.create(began),
                        Optional.of("old-" + i),
                        new Owner("cli:owner-" + i % 7),
                        "command",
                        "command",
                        "{}",
                        "one of many that were run and are long over",
                        Path.of("/"),
                        Budget.ofOutput(1000),
                        false,
                        1,
                        Optional.empty());
                var importedAttempt = new ImportedAttempt(
                        began,
                        began.plusSeconds(60),
                        new Outcome.Completed(),
                        Evidence.none(),
                        new AttemptResult(Optional.of("done"), 4),
                        0,
                        Optional.empty());
                threads.execute(() -> {
                    ledger.importRun(run, importedAttempt);
                    ledger.markOutputFinal(run.id(), 1);
                });
            }
        }
    }

    private static void round(Path home, String what, Map<String, String> figures) throws Exception {
        try (var daemonConnection = new DaemonConnection(home);
                var webDriverBrowser = new WebDriverBrowser()) {
            for (int i = 0; i < 3; i++) BenchMain.end(daemonConnection, daemonConnection.start("echo", "hello"));
            var link = daemonConnection.call("web", DaemonConnection.params().put("operator", true));
            webDriverBrowser.open(link.path("link").asString());
            var address = link.path("address").asString();
            webDriverBrowser.await("return document.querySelector('#link')?.dataset.state === 'live' ? true : null");
            figures.put("page with %s: sent for the first visit".formatted(what), weight(webDriverBrowser));
            paints(webDriverBrowser, address, what, figures);
            webDriverBrowser.open(address + "/");
            webDriverBrowser.await("return document.querySelector('#link')?.dataset.state === 'live' ? true : null");
            figures.put(
                    "page with %s: end committed → painted".formatted(what), lag(daemonConnection, webDriverBrowser));
        }
    }

    private static String weight(WebDriverBrowser webDriverBrowser) throws IOException, InterruptedException {
        var bytes = webDriverBrowser.run(
                "return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
                        + ".filter(e => !e.name.includes('/live') && !e.name.includes('/older')).map(e => [e.transferSize, e.decodedBodySize])"
                        + ".reduce((a, b) => [a[0] + b[0], a[1] + b[1]], [0, 0])");
        return String.format(
                Locale.ROOT,
                "%.1f KiB packed, %.1f KiB unpacked",
                bytes.get(0).asLong() / 1024.0,
                bytes.get(1).asLong() / 1024.0);
    }

    /** Alternates with a page of one word, so that noise affects both. */
    private static void paints(
            WebDriverBrowser webDriverBrowser, String address, String what, Map<String, String> figures)
            throws IOException, InterruptedException {
        var ours = new double[LOADS];
        var oneWord = new double[LOADS];
        var whole = new double[LOADS];
        for (int i = 0; i < LOADS; i++) {
            ours[i] = paint(webDriverBrowser, address + "/");
            whole[i] = webDriverBrowser
                    .await("const e = performance.getEntriesByType('navigation')[0];"
                            + " return e.loadEventEnd > 0 ? e.domContentLoadedEventEnd : null")
                    .asDouble();
            oneWord[i] = paint(webDriverBrowser, address + "/healthz");
        }
        java.util.Arrays.sort(ours);
        java.util.Arrays.sort(oneWord);
        figures.put(
                "page with %s: first contentful paint".formatted(what),
                String.format(
                        Locale.ROOT,
                        "p50 %.0f ms beside %.0f ms of a page with one word: %.1f times",
                        ours[LOADS / 2],
                        oneWord[LOADS / 2],
                        ours[LOADS / 2] / oneWord[LOADS / 2]));
        figures.put("page with %s: script at work".formatted(what), BenchMain.spread(whole));
    }

    private static double paint(WebDriverBrowser webDriverBrowser, String address)
            throws IOException, InterruptedException {
        webDriverBrowser.open(address);
        return webDriverBrowser
                .await("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null")
                .asDouble();
    }

    /** From the end's time in the ledger to the frame that shows it. */
    private static String lag(DaemonConnection daemonConnection, WebDriverBrowser webDriverBrowser)
            throws IOException, InterruptedException {
        webDriverBrowser.run(
                "window.painted = {}; window.waiting = new Set();"
                        + "window.look = () => { for (const id of waiting) if (document.getElementById(id)?.classList.contains('ok')) {"
                        + " waiting.delete(id);"
                        + " requestAnimationFrame(() => setTimeout(() => { painted[id] = performance.timeOrigin + performance.now(); })); } };"
                        + "new MutationObserver(look).observe(document.querySelector('#groups'), {childList: true, subtree: true})");
        var lags = new double[ENDS];
        for (int i = 0; i < ENDS; i++) {
            var run = daemonConnection.start("sleep", "0.3");
            webDriverBrowser.run("waiting.add(arguments[0]); look()", run);
            BenchMain.end(daemonConnection, run);
            double painted = webDriverBrowser
                    .await("return window.painted[arguments[0]] ?? null", run)
                    .asDouble();
            var ended = Instant.parse(daemonConnection
                    .call("show", DaemonConnection.params().put("run_id", run))
                    .path("ended_at")
                    .asString());
            lags[i] = painted - ended.toEpochMilli();
        }
        return BenchMain.spread(lags);
    }
}
