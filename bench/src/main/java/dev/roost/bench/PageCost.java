package dev.roost.bench;

import dev.roost.ledger.NewRun;
import dev.roost.ledger.Past;
import dev.roost.ledger.Result;
import dev.roost.ledger.SqliteLedger;
import dev.roost.run.Budget;
import dev.roost.run.Evidence;
import dev.roost.run.Outcome;
import dev.roost.run.Owner;
import dev.roost.run.RunId;
import dev.roost.supervisor.Home;
import dev.roost.supervisor.SystemClock;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.LinkedHashMap;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;

/** What the page weighs, how soon it is painted, and how soon an end is seen on it. */
final class PageCost {

    private static final int MANY = 5000;
    private static final int LOADS = 15;
    private static final int ENDS = 40;

    private PageCost() {}

    static Map<String, String> measure(Launched roost) throws Exception {
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
                var past = new Past(
                        began,
                        began.plusSeconds(60),
                        new Outcome.Completed(),
                        Evidence.none(),
                        new Result(Optional.of("done"), 4),
                        0,
                        Optional.empty());
                threads.execute(() -> {
                    ledger.bringIn(run, past);
                    ledger.sealed(run.id(), 1);
                });
            }
        }
    }

    private static void round(Path home, String what, Map<String, String> figures) throws Exception {
        try (var daemon = new Daemon(home);
                var browser = new Browser()) {
            for (int i = 0; i < 3; i++) Main.end(daemon, daemon.start("echo", "hello"));
            var link = daemon.call("web", Daemon.params().put("operator", true));
            browser.open(link.path("link").asString());
            var address = link.path("address").asString();
            browser.await("return document.querySelector('#link')?.dataset.state === 'live' ? true : null");
            figures.put("page with %s: sent for the first visit".formatted(what), weight(browser));
            paints(browser, address, what, figures);
            browser.open(address + "/");
            browser.await("return document.querySelector('#link')?.dataset.state === 'live' ? true : null");
            figures.put("page with %s: end committed → painted".formatted(what), lag(daemon, browser));
        }
    }

    private static String weight(Browser browser) throws IOException, InterruptedException {
        var bytes = browser.run(
                "return [...performance.getEntriesByType('navigation'), ...performance.getEntriesByType('resource')]"
                        + ".filter(e => !e.name.includes('/live') && !e.name.includes('/older')).map(e => [e.transferSize, e.decodedBodySize])"
                        + ".reduce((a, b) => [a[0] + b[0], a[1] + b[1]], [0, 0])");
        return String.format(
                Locale.ROOT,
                "%.1f KiB packed, %.1f KiB unpacked",
                bytes.get(0).asLong() / 1024.0,
                bytes.get(1).asLong() / 1024.0);
    }

    /** By turns with a page of one word, so that a noisy minute is noisy for both. */
    private static void paints(Browser browser, String address, String what, Map<String, String> figures)
            throws IOException, InterruptedException {
        var ours = new double[LOADS];
        var oneWord = new double[LOADS];
        var whole = new double[LOADS];
        for (int i = 0; i < LOADS; i++) {
            ours[i] = paint(browser, address + "/");
            whole[i] = browser.await("const e = performance.getEntriesByType('navigation')[0];"
                            + " return e.loadEventEnd > 0 ? e.domContentLoadedEventEnd : null")
                    .asDouble();
            oneWord[i] = paint(browser, address + "/healthz");
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
        figures.put("page with %s: script at work".formatted(what), Main.spread(whole));
    }

    private static double paint(Browser browser, String address) throws IOException, InterruptedException {
        browser.open(address);
        return browser.await("return performance.getEntriesByName('first-contentful-paint')[0]?.startTime ?? null")
                .asDouble();
    }

    /** From the time of the end in the ledger to the frame in which its row says so. */
    private static String lag(Daemon daemon, Browser browser) throws IOException, InterruptedException {
        browser.run(
                "window.painted = {}; window.waiting = new Set();"
                        + "window.look = () => { for (const id of waiting) if (document.getElementById(id)?.classList.contains('ok')) {"
                        + " waiting.delete(id);"
                        + " requestAnimationFrame(() => setTimeout(() => { painted[id] = performance.timeOrigin + performance.now(); })); } };"
                        + "new MutationObserver(look).observe(document.querySelector('#groups'), {childList: true, subtree: true})");
        var lags = new double[ENDS];
        for (int i = 0; i < ENDS; i++) {
            var run = daemon.start("sleep", "0.3");
            browser.run("waiting.add(arguments[0]); look()", run);
            Main.end(daemon, run);
            double painted = browser.await("return window.painted[arguments[0]] ?? null", run)
                    .asDouble();
            var ended = Instant.parse(daemon.call("show", Daemon.params().put("run_id", run))
                    .path("ended_at")
                    .asString());
            lags[i] = painted - ended.toEpochMilli();
        }
        return Main.spread(lags);
    }
}
