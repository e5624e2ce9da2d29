package dev.roost.bench;

import dev.roost.bench.report.Benchmark;
import dev.roost.bench.report.BenchmarkReport;
import dev.roost.bench.system.DaemonConnection;
import dev.roost.bench.system.HomeHistory;
import dev.roost.bench.system.LauncherDaemon;
import dev.roost.bench.system.WebDriverBrowser;
import java.io.IOException;
import java.time.Instant;
import java.util.List;
import java.util.Locale;

/** The size of the page, its time to first paint, and the time until an end appears on it. */
final class PageBenchmark implements Benchmark {

    private static final int MANY = 5000;
    private static final int LOADS = 15;
    private static final int ENDS = 40;

    @Override
    public void measure(Setting setting, BenchmarkReport report) throws Exception {
        for (var name : List.of("a few runs", "%d runs".formatted(MANY)))
            try (var roost = new LauncherDaemon(setting, "page-" + name.charAt(0))) {
                if (!name.startsWith("a")) HomeHistory.write(roost.home, MANY, 0);
                roost.start();
                round(roost, name, report);
                roost.command("daemon", "stop");
            }
    }

    private static void round(LauncherDaemon roost, String what, BenchmarkReport report) throws Exception {
        try (var daemonConnection = roost.connect();
                var webDriverBrowser = new WebDriverBrowser()) {
            for (int i = 0; i < 3; i++) daemonConnection.end(daemonConnection.start("echo", "hello"));
            var link = daemonConnection.call("web", DaemonConnection.params().put("operator", true));
            webDriverBrowser.open(link.path("link").asString());
            var address = link.path("address").asString();
            webDriverBrowser.await("return document.querySelector('#link')?.dataset.state === 'live' ? true : null");
            report.text("page with %s: sent for the first visit".formatted(what), weight(webDriverBrowser));
            paints(webDriverBrowser, address, what, report);
            webDriverBrowser.open(address + "/");
            webDriverBrowser.await("return document.querySelector('#link')?.dataset.state === 'live' ? true : null");
            report.spread(
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
    private static void paints(WebDriverBrowser webDriverBrowser, String address, String what, BenchmarkReport report)
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
        double word = BenchmarkReport.median(oneWord);
        double page = BenchmarkReport.median(ours);
        report.text(
                "page with %s: first contentful paint".formatted(what),
                String.format(
                        Locale.ROOT,
                        "p50 %.0f ms beside %.0f ms of a page with one word: %.1f times",
                        page,
                        word,
                        page / word));
        report.spread("page with %s: script at work".formatted(what), whole);
    }

    private static double paint(WebDriverBrowser webDriverBrowser, String address)
            throws IOException, InterruptedException {
        webDriverBrowser.open(address);
        return webDriverBrowser
                .await("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null")
                .asDouble();
    }

    /** From the end's time in the ledger to the frame that shows it. */
    private static double[] lag(DaemonConnection daemonConnection, WebDriverBrowser webDriverBrowser)
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
            daemonConnection.end(run);
            double painted = webDriverBrowser
                    .await("return window.painted[arguments[0]] ?? null", run)
                    .asDouble();
            var ended = Instant.parse(daemonConnection
                    .call("show", DaemonConnection.params(run))
                    .path("ended_at")
                    .asString());
            lags[i] = painted - ended.toEpochMilli();
        }
        return lags;
    }
}
