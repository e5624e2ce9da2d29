package dev.roost.daemon.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.BrowserFixture;
import java.io.IOException;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.WindowType;

/** A page that stays open while its runs change owner, are removed or grow old. */
class LiveUpdatesProcessTest extends BrowserFixture {

    @Override
    public List<String> options() {
        return List.of("-Droost.silence=1000");
    }

    private void adopt(String run, String to) throws IOException {
        var params = operator().put("to", to);
        params.putArray("run_ids").add(run);
        call("adopt", params);
    }

    private void prune() throws IOException {
        call("prune", operator().put("older_than", "0s").put("unread", true));
    }

    private static int rows(String run) {
        return browser().findElements(By.cssSelector("[id='" + run + "']")).size();
    }

    @Test
    void a_run_that_changed_its_owner_is_shown_once_at_its_new_owner() throws Exception {
        var kept = command("cli:anna", "kept", "sleep 600");
        var given = command("cli:anna", "given", "sleep 600");
        signIn();
        mark();
        awaitText("#groups", "2 running");
        adopt(given, "cli:berta");
        awaitText("#groups", "cli:berta");
        await().atMost(SOON).untilAsserted(() -> assertThat(text("#groups")).doesNotContain("2 running"));
        assertThat(rows(given)).isEqualTo(1);
        assertThat(js("return document.getElementById(arguments[0]).closest('.owner').textContent", given))
                .asString()
                .contains("cli:berta");
        adopt(kept, "cli:berta");
        await().atMost(SOON).untilAsserted(() -> assertThat(text("#groups")).doesNotContain("cli:anna"));
        assertThat(rows(kept)).isEqualTo(1);
        assertNotReloaded();
        assertThat(complaints()).isEmpty();
    }

    @Test
    void runs_removed_while_the_page_was_disconnected_disappear() throws Exception {
        var old = command("cli:anna", "old", "echo done");
        awaitEnd(old);
        var live = command("cli:anna", "live", "sleep 600");
        signIn();
        mark();
        awaitText("#" + old, "completed");
        kill9();
        awaitText("#link", "the daemon is gone");
        daemon = start();
        // before the page reconnects, which it does after a delay
        prune();
        awaitLive();
        awaitText("#" + live, "working");
        await().atMost(SOON).untilAsserted(() -> assertThat(rows(old)).isZero());
        assertNotReloaded();
    }

    @Test
    void a_session_that_becomes_busy_is_shown_as_busy() throws Exception {
        command("claude:shop", "one", "sleep 600");
        hook("SessionStart", "claude:shop");
        signIn();
        hook("UserPromptSubmit", "claude:shop");
        awaitText("#groups", "session busy");
        hook("Stop", "claude:shop");
        awaitText("#groups", "session idle");
    }

    private void hook(String event, String owner) throws Exception {
        var body = JSON.createObjectNode()
                .put("session_id", owner.substring(owner.indexOf(':') + 1))
                .put("hook_event_name", event)
                .put("source", "startup")
                .put("prompt", "go on")
                .put("cwd", scratch.toString());
        var answer = post("/hooks/claude-code/" + event, operatorsToken(), body.toString());
        assertThat(answer.statusCode()).as(answer.body()).isEqualTo(200);
    }

    @Test
    void ages_use_the_daemons_clock_even_if_the_browsers_is_wrong() throws Exception {
        var run = command("cli:anna", "young", "sleep 600");
        signIn();
        var ahead = (String) browser()
                .executeCdpCommand(
                        "Page.addScriptToEvaluateOnNewDocument",
                        Map.of(
                                "source",
                                "const real = Date.now; Date.now = () => real() + 7200000;"
                                        + "Object.defineProperty(performance, 'timeOrigin', {value: performance.timeOrigin + 7200000});"))
                .get("identifier");
        try {
            browser().get(address() + "/");
            awaitLive();
            js("window.ticked = document.querySelector('#' + arguments[0] + ' time').textContent", run);
            await().atMost(SOON)
                    .until(() -> !String.valueOf(js("return window.ticked")).equals(text("#" + run + " time")));
            assertThat(text("#" + run + " time")).doesNotContain("h").endsWith("s");
        } finally {
            browser().executeCdpCommand("Page.removeScriptToEvaluateOnNewDocument", Map.of("identifier", ahead));
        }
    }

    @Test
    void ten_pages_can_be_open_although_a_browser_has_six_connections() throws Exception {
        var run = command("cli:anna", "watched", "while :; do echo word; sleep 0.5; done");
        signIn();
        var first = browser().getWindowHandle();
        try {
            for (int i = 0; i < 9; i++) {
                browser().switchTo().newWindow(WindowType.TAB);
                browser().get(address() + "/runs/" + run);
                awaitLive();
                awaitText("#output", "word");
            }
        } finally {
            for (var tab : browser().getWindowHandles()) {
                if (tab.equals(first)) continue;
                browser().switchTo().window(tab);
                browser().close();
            }
            browser().switchTo().window(first);
        }
        awaitLive();
        var fresh = command("cli:anna", "fresh", "echo new");
        awaitText("#" + fresh, "completed");
    }
}
