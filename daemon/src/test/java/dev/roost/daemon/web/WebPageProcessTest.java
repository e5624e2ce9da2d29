package dev.roost.daemon.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.BrowserFixture;
import java.nio.file.Files;
import java.time.Duration;
import org.junit.jupiter.api.Test;
import org.openqa.selenium.By;
import org.openqa.selenium.Keys;

/** The page, walked through by a real browser. */
class WebPageProcessTest extends BrowserFixture {

    @Test
    void a_link_signs_a_browser_in_once_and_signing_out_ends_it() throws Exception {
        browser().get(address() + "/");
        awaitText("h1", "Not signed in");
        assertThat(text("main")).contains("roost web");
        var link = link();
        browser().get(link);
        await().atMost(SOON).until(() -> browser().getTitle().contains("Fleet"));
        browser().get(link); // the same browser stays signed in
        await().atMost(SOON).until(() -> browser().getTitle().contains("Fleet"));
        browser().executeCdpCommand("Network.clearBrowserCookies", java.util.Map.of());
        browser().get(link);
        awaitText("h1", "Not signed in");
        signIn();
        click("form[action='/sign-out'] button");
        awaitText("h1", "Not signed in");
        browser().get(address() + "/");
        awaitText("h1", "Not signed in");
    }

    @Test
    void six_runs_of_three_owners_are_shown_live_and_can_be_managed() throws Exception {
        var repository = repository();
        signIn();
        mark();
        awaitText("#empty", "No run yet");
        var asking = begin(agent("claude:shop", "clean-build", "ask before you clean"));
        var dying = begin(agent("opencode:billing", "finish-rebase", "die while you rebase")
                .put("worktree", true)
                .put("cwd", repository.toString()));
        var landing = begin(agent("opencode:billing", "cart", "commit the cart")
                .put("worktree", true)
                .put("cwd", repository.toString()));
        var working = begin(agent("claude:shop", "checkout", "work on the checkout"));
        var tests = command(
                "cli:anna",
                "tests",
                "for i in $(seq 1 500); do printf '\\033[32mok\\033[0m test %s\\n' $i; sleep 0.2; done");
        var quick = command("cli:anna", "quick", "echo all good");

        // owners, open questions, lost runs and where their work is
        for (var run : new String[] {asking, dying, landing, working, tests, quick})
            await().atMost(SOON).until(() -> !text("#" + run).isEmpty());
        awaitText("#" + asking, "clean-build", "needs you");
        awaitText("#needs", "clean-build", "claude:shop", "rm -rf build");
        awaitText("#" + dying, "failed", "killed by signal 9");
        awaitText("#died", "finish-rebase", "opencode:billing", "killed by signal 9", "roost restore " + dying);
        awaitText("#" + landing, "completed");
        await().atMost(SOON).until(() -> text("#" + landing + " .rung").equals("committed"));
        awaitText("#" + quick, "completed", "all good");
        awaitText("#" + working, "Step 2", "working");
        assertThat(browser().findElements(By.cssSelector(".owner"))).hasSize(3);
        await().atMost(SOON)
                .until(() -> text(".owner .who").equals("claude:shop")); // an owner with an open question comes first
        awaitText("#tiles", "1\nneeds you", "2\nrunning", "1\ndied in 24 h", "2\ndone in 24 h");
        assertNotReloaded();
        picture("fleet-light");
        scheme("dark");
        picture("fleet-dark");
        scheme("light");

        // its certificate
        click("#died a.name");
        awaitText("#certificate", "Certificate of death", "killed by signal 9 (KILL)", "unable to access the remote");
        awaitText("#work", "1 file changed", "f3.txt", "roost restore " + dying, "git -C");
        picture("run-dead");

        // its output, as it comes
        browser().get(address() + "/runs/" + tests);
        awaitLive();
        mark();
        awaitText("#output", "ok test 3");
        var last = text("#output").lines().count();
        await().atMost(SOON).until(() -> text("#output").lines().count() > last + 3);
        assertThat(js("return document.querySelector('#output .f2').textContent"))
                .isEqualTo("ok");
        assertThat(
                        js(
                                "const o = document.querySelector('#output'); return o.scrollHeight - o.scrollTop - o.clientHeight < 40"))
                .isEqualTo(true);
        picture("run-live");

        // a command takes no messages, so the page offers no form
        assertThat(browser().findElements(By.id("message"))).isEmpty();

        // stopped, from the keyboard
        browser().findElement(By.tagName("body")).sendKeys("s");
        await().atMost(SOON).until(() -> element("#really-stop").isDisplayed());
        click("#really-stop");
        awaitText("#head", "canceled");
        assertThat(status(tests)).isEqualTo("canceled_by_user");
        awaitText("#toast", "was stopped");
        assertNotReloaded();

        // answered, on the list
        browser().get(address() + "/");
        awaitLive();
        click("#needs .yes");
        awaitText("#" + asking, "completed", "allowed, and built");
        await().atMost(SOON).until(() -> text("#needs").isEmpty()); // the page replaces it just after the row
        assertThat(complaints()).isEmpty();
    }

    @Test
    void a_message_from_the_page_reaches_the_agent() throws Exception {
        var run = begin(agent("claude:shop", "listener", "listen for a word"));
        signIn();
        browser().get(address() + "/runs/" + run);
        awaitLive();
        browser().findElement(By.tagName("body")).sendKeys("m");
        element("#message").sendKeys("take the other way", Keys.ENTER);
        awaitText("#output", "heard: take the other way");
        awaitText("#head", "completed");
        assertThat(complaints()).isEmpty();
    }

    @Test
    void an_open_page_survives_a_restart_of_the_daemon_and_catches_up() throws Exception {
        var ending = command("cli:anna", "ending", "while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; echo over");
        var staying = command("cli:anna", "staying", "sleep 600");
        signIn();
        awaitText("#" + ending, "working");
        mark();
        kill9();
        awaitText("#link", "the daemon is gone");
        Files.createFile(scratch.resolve("go"));
        daemon = start();
        awaitText("#" + ending, "completed", "over");
        awaitText("#" + staying, "working");
        awaitLive();
        var fresh = command("cli:anna", "fresh", "echo new");
        awaitText("#" + fresh, "completed");
        assertNotReloaded();

        // the same for the page of a run
        browser().get(address() + "/runs/" + staying);
        awaitLive();
        mark();
        kill9();
        awaitText("#link", "the daemon is gone");
        daemon = start();
        awaitLive();
        call("stop", operator().put("run_id", staying));
        awaitText("#head", "canceled");
        assertNotReloaded();
    }

    @Test
    void output_and_names_of_agents_stay_text() throws Exception {
        var evil =
                "<img src=x onerror=\"window.pwned=1\"><script>window.pwned=2</script>'\"--></title><svg onload=pwned=3>";
        var repository = repository();
        var run = command(
                "cli:eve",
                "<b onmouseover=pwned=4>bold</b>",
                "printf '%s\\n' '" + evil.replace("'", "'\\''")
                        + "'; printf '\\033[2J\\033]0;title\\007\\033[31mred\\033[0m\\033[8mhidden \\342\\200\\256evil\\n'");
        awaitEnd(run);
        var files = begin(agent("cli:eve", "files", "name a file badly")
                .put("worktree", true)
                .put("cwd", repository.toString()));
        awaitEnd(files);
        var asking = begin(agent("cli:eve", "asking", "ask " + evil));
        signIn();
        awaitText("#" + run, "<b onmouseover=pwned=4>bold</b>");
        awaitText("#" + asking, "needs you");
        browser().get(address() + "/runs/" + run);
        awaitLive();
        awaitText("#output", "<img src=x onerror=\"window.pwned=1\">", "ESC[2J", "red");
        assertThat(js("return document.querySelectorAll('#output img, #output script, #output svg').length"))
                .isEqualTo(0L);
        assertThat(js("return document.querySelector('#output').textContent.includes('\\u202e')"))
                .isEqualTo(false);
        picture("hostile");
        browser().get(address() + "/runs/" + files);
        awaitLive();
        awaitText("#work", "<img src=x onerror=pwned=5>");
        browser().get(address() + "/runs/" + asking);
        awaitLive();
        awaitText("#head", "<script>window.pwned=2</script>");
        assertThat(js("return window.pwned === undefined")).isEqualTo(true);
        assertThat(complaints()).isEmpty();
    }

    @Test
    void a_phone_and_a_screen_reader_can_use_it() throws Exception {
        var dead = command("cli:anna", "dead", "echo oh dear >&2; exit 3");
        awaitEnd(dead);
        begin(agent("claude:shop", "clean-build", "ask before you clean"));
        begin(agent("claude:shop", "a-run-with-quite-a-long-name-that-does-not-end", "work on the checkout"));
        signIn();
        awaitText("#needs", "clean-build");
        awaitText(".owner .runs", "working");
        for (var scheme : new String[] {"light", "dark"}) {
            scheme(scheme);
            assertThat(barriers()).as(scheme).isEmpty();
        }
        phone();
        assertFitsThePhone();
        picture("phone-dark");
        scheme("light");
        picture("phone-light");
        assertThat(barriers()).isEmpty();
        browser().get(address() + "/runs/" + dead);
        awaitLive();
        assertFitsThePhone();
        picture("phone-run");
        wide();
        for (var scheme : new String[] {"light", "dark"}) {
            scheme(scheme);
            assertThat(barriers()).as("run, " + scheme).isEmpty();
        }
    }

    private static void assertFitsThePhone() {
        assertThat((Long) js("return document.documentElement.scrollWidth")).isLessThanOrEqualTo(390L);
    }

    @Test
    void a_run_can_be_found_and_opened_with_the_keyboard() throws Exception {
        var one = command("cli:anna", "apples", "echo apples");
        var two = command("cli:anna", "pears", "echo pears");
        awaitEnd(one);
        awaitEnd(two);
        signIn();
        awaitText("#" + two, "completed");
        browser().findElement(By.tagName("body")).sendKeys("/");
        element("#filter").sendKeys("appl");
        awaitText("#found", "1 run");
        assertThat(element("#" + two).isDisplayed()).isFalse();
        element("#filter").sendKeys(Keys.ARROW_DOWN);
        browser().switchTo().activeElement().sendKeys(Keys.ENTER);
        awaitText("#head", "apples");
        browser().findElement(By.tagName("body")).sendKeys("u");
        await().atMost(SOON).until(() -> browser().getTitle().contains("Fleet"));
        click(".tile.died");
        awaitText("#found", "0 runs");
        browser().findElement(By.tagName("body")).sendKeys(Keys.ESCAPE);
        await().atMost(SOON).until(() -> element("#" + two).isDisplayed());
    }

    @Test
    void a_pause_is_shown_with_its_runs_until_it_is_dismissed() throws Exception {
        var staying = command("cli:anna", "staying", "sleep 600");
        awaitPid(staying);
        signIn();
        awaitText("#" + staying, "working");
        call("pause", operator());
        call("resume", operator());
        awaitText("#away", "While you were away", "pause", "1 still at work", "staying");
        browser().get(address() + "/runs/" + staying);
        awaitLive();
        assertThat(js("return document.querySelectorAll('.timeline .t-pause').length"))
                .isEqualTo(1L);
        browser().get(address() + "/");
        awaitLive();
        picture("away");
        click("#away [data-dismiss]");
        assertThat(element("#away").isDisplayed()).isFalse();
        browser().get(address() + "/");
        awaitLive();
        assertThat(element("#away").isDisplayed()).isFalse();
    }

    @Test
    void a_program_may_deny_a_permission_and_only_a_person_may_grant_it() throws Exception {
        var run = begin(agent("claude:shop", "clean-build", "ask before you clean"));
        signIn();
        awaitText("#needs", "clean-build");
        var send = "/api/v1/runs/" + run + "/send";
        for (var token : new String[] {operatorsToken(), token("claude:shop")})
            refused(
                    post(send, token, "{\"message\": \"allow\"}", "Content-Type", "application/json"),
                    403,
                    "person_required");
        click("#needs .yes");
        awaitText("#" + run, "allowed, and built");
        var other = begin(agent("claude:shop", "clean-again", "ask before you clean"));
        awaitText("#needs", "clean-again");
        var denied = post(
                "/api/v1/runs/" + other + "/send",
                token("claude:shop"),
                "{\"message\": \"deny not tonight\"}",
                "Content-Type",
                "application/json");
        assertThat(denied.statusCode()).as(denied.body()).isEqualTo(200);
        awaitText("#" + other, "denied, so nothing was built");
    }

    @Test
    void a_daemon_that_stopped_answering_is_not_shown_as_live() throws Exception {
        signIn();
        signal("STOP");
        try {
            await().atMost(Duration.ofSeconds(60))
                    .until(() -> js("return document.body.classList.contains('lost')"), Boolean.TRUE::equals);
            assertThat(text("#link")).isNotEqualTo("live");
        } finally {
            signal("CONT");
        }
        awaitLive();
        assertThat(js("return document.body.classList.contains('lost')")).isEqualTo(false);
    }

    private void signal(String name) throws Exception {
        var kill = new ProcessBuilder("kill", "-" + name, Long.toString(daemon.pid())).start();
        assertThat(kill.waitFor()).isZero();
    }
}
