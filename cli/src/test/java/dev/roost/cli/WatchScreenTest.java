package dev.roost.cli;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code ps --watch} as a person has it: in a real terminal, with real runs. */
@RealCli.OneDaemon
class WatchScreenTest extends RealAgents {

    private static final Duration SOON = Duration.ofSeconds(30);

    private Tmux watch(int columns, int rows, String... words) throws Exception {
        var command = new ArrayList<>(command("ps", "--watch"));
        command.addAll(java.util.List.of(words));
        command.add(1, "-Droost.terminal=true");
        var environment = new HashMap<>(Map.of(
                "ROOST_HOME",
                home.toString(),
                "XDG_CONFIG_HOME",
                scratch.resolve("config").toString(),
                "SCRATCH",
                scratch.toString()));
        environment.put("PATH", scratch.resolve("bin") + ":" + System.getenv("PATH"));
        return Tmux.run(scratch, environment, columns, rows, command);
    }

    private String named(String name, String script) {
        return roost("run", "--name", name, "--", "sh", "-c", script).ok().out().strip();
    }

    @Test
    void the_list_is_live_a_run_is_opened_followed_and_stopped() throws Exception {
        named("nightly", "echo begun; while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; echo went on; sleep 1000");
        try (var tmux = watch(100, 24)) {
            tmux.awaitScreen("begun"); // the last line of its output
            tmux.awaitScreen("1 running");
            var second = start("exit 3");
            tmux.awaitScreen("1 died, 1 running, 1 unread");
            assertThat(tmux.screen()).containsSubsequence(second, "nightly");
            tmux.keys("/");
            tmux.keys("-l", "night");
            tmux.awaitGone(second);
            tmux.keys("Enter", "Enter");
            tmux.awaitScreen("q back");
            tmux.awaitScreen("begun");
            touch("go");
            tmux.awaitScreen("went on");
            tmux.keys("s");
            tmux.awaitScreen("Stop nightly");
            tmux.keys("n");
            tmux.awaitGone("Stop nightly");
            tmux.keys("s");
            tmux.awaitScreen("Stop nightly");
            tmux.keys("y");
            tmux.awaitScreen("■ canceled_by_user");
            tmux.awaitScreen("it was stopped");
            tmux.keys("q");
            tmux.awaitScreen("⏎ open");
            tmux.keys("Escape"); // the filter
            tmux.awaitScreen(second);
            tmux.keys("q");
            assertThat(tmux.awaitEnd()).isZero();
        }
    }

    @Test
    void an_owner_that_cannot_be_is_refused_before_anything_is_shown() throws Exception {
        try (var tmux = watch(100, 24, "--owner", "nonsense")) {
            assertThat(tmux.awaitEnd()).isEqualTo(2);
        }
    }

    @Test
    void a_message_reaches_the_run_and_a_permission_is_given_here() throws Exception {
        claude("--name", "steered", "--", "steer", "me");
        try (var tmux = watch(80, 24)) {
            tmux.awaitScreen("steered");
            tmux.awaitScreen("▸ running");
            tmux.keys("Enter");
            tmux.awaitScreen("q back");
            tmux.keys("m");
            tmux.awaitScreen("to steered:");
            // pasted with a line's end in the middle: nothing is sent before Enter
            tmux.tmux("set-buffer", "go\nthe other way");
            tmux.tmux("paste-buffer", "-p", "-r");
            tmux.awaitScreen("go⏎the other way");
            tmux.keys("Enter");
            tmux.awaitScreen("went the other way");
            tmux.awaitScreen("✓ completed");
            tmux.keys("q");

            var asker = claude("--name", "asker", "--", "ask", "first");
            awaitQuestion(asker);
            tmux.awaitScreen("asks: Bash: touch zz");
            tmux.keys("g", "m");
            tmux.awaitScreen("asker asks for permission: Bash: touch zz");
            tmux.keys("y");
            tmux.awaitScreen("Told asker.");
            await().atMost(SOON)
                    .until(() -> roost("show", asker, "--json").ok().json().has("ended_at"));
            assertThat(roost("output", asker).ok().out()).contains("allowed");
            tmux.keys("C-c");
            assertThat(tmux.awaitEnd()).isZero();
        }
    }

    @Test
    void a_run_that_is_given_to_somebody_else_is_not_shown_as_ones_own_any_more() throws Exception {
        var given = roost("run", "--owner", "cli:anna", "--name", "given", "--", "sleep", "1000");
        roost("run", "--owner", "cli:anna", "--name", "kept", "--", "sleep", "1000")
                .ok();
        try (var tmux = watch(100, 24, "--owner", "cli:anna")) {
            tmux.awaitScreen("2 running");
            roost("adopt", given.ok().out().strip(), "--to", "cli:berta").ok();
            tmux.awaitScreen("1 running");
            tmux.awaitGone("given");
            assertThat(tmux.screen()).contains("kept");
            tmux.keys("q");
            tmux.awaitEnd();
        }
    }

    @Test
    void nothing_that_an_agent_writes_steers_the_terminal() throws Exception {
        named("evil", """
                printf '\\033]0;taken over\\007\\033[2J\\033[H\\033[?1049l\\033[31mred\\033[0m\\033c \\302\\2332J\\n'
                printf '\\033[5;5Hplaced \\346\\227\\245\\346\\234\\254\\n'
                sleep 1000
                """);
        try (var tmux = watch(80, 24)) {
            tmux.awaitScreen("␛[5;5Hplaced 日本");
            tmux.keys("Enter");
            tmux.awaitScreen("␛]0;taken over␇␛[2J␛[H␛[?1049lred␛c �2J");
            assertThat(tmux.screen()).contains("evil  ▸ running").contains("q back");
            assertThat(tmux.tmux("display-message", "-p", "#{pane_title} #{alternate_on}"))
                    .doesNotContain("taken over")
                    .endsWith(" 1\n");
            assertThat(tmux.tmux("capture-pane", "-p", "-e")).contains("\033[31mred");
            tmux.keys("q", "q");
            tmux.awaitEnd();
        }
    }

    @Test
    @OwnDaemon
    void it_takes_every_size_and_goes_on_when_the_daemon_is_killed() throws Exception {
        named("first", "sleep 1000");
        try (var tmux = watch(120, 40)) {
            tmux.awaitScreen("⏎ open   s stop");
            tmux.tmux("resize-window", "-x", "40", "-y", "10");
            tmux.awaitScreen("⏎ open  s stop  m send  ? help  q quit");
            assertThat(tmux.screen().stripTrailing().lines()).hasSize(10);
            ProcessHandle.of(daemonPid()).orElseThrow().destroyForcibly();
            tmux.awaitScreen("the daemon is gone");
            tmux.awaitScreen("first");
            named("second", "sleep 1001"); // starts the next one
            tmux.awaitScreen("2 running");
            tmux.awaitScreen("second");
            tmux.awaitGone("the daemon is gone");
            tmux.keys("q");
            assertThat(tmux.awaitEnd()).isZero();
        }
    }

    @Test
    void the_terminal_is_given_back_whatever_ends_the_view() throws Exception {
        start("sleep 1000");
        for (boolean forcibly : new boolean[] {false, true}) {
            try (var tmux = watch(80, 24)) {
                tmux.awaitScreen("1 running");
                var view = tmux.command();
                var holder = view.children().findFirst().orElseThrow();
                if (forcibly) view.destroyForcibly();
                else view.destroy();
                assertThat(holder.onExit()).succeedsWithin(SOON);
                assertThat(tmux.awaitEnd()).isEqualTo(forcibly ? 137 : 143);
            }
            for (var file : new String[] {"before", "ended"}) Files.delete(scratch.resolve(file));
        }
    }

    @Test
    void it_ends_with_its_terminal_and_leaves_no_process_behind() throws Exception {
        start("sleep 1000");
        ProcessHandle view;
        ProcessHandle holder;
        try (var tmux = watch(80, 24)) {
            tmux.awaitScreen("1 running");
            view = tmux.command();
            holder = view.children().findFirst().orElseThrow();
        }
        assertThat(view.onExit()).succeedsWithin(SOON);
        assertThat(holder.onExit()).succeedsWithin(SOON);
    }

    @Test
    void ctrl_z_gives_the_terminal_back_and_fg_goes_on() throws Exception {
        named("nightly", "sleep 1000");
        try (var tmux = watch(80, 24)) {
            tmux.awaitScreen("1 running");
            tmux.keys("C-z");
            assertThat(tmux.awaitEnd()).as("stopped by SIGTSTP").isEqualTo(148);
            var view = tmux.command();
            tmux.keys("fg", "Enter");
            tmux.awaitScreen("1 running");
            tmux.keys("Enter");
            tmux.awaitScreen("q back");
            tmux.keys("q");
            tmux.awaitScreen("⏎ open");
            tmux.keys("q");
            assertThat(view.onExit()).succeedsWithin(SOON);
            assertThat(tmux.modes()).isEqualTo(tmux.modesBefore());
        }
    }
}
