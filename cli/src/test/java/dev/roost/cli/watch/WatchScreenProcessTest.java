package dev.roost.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cli.testing.CliFixture;
import dev.roost.cli.testing.ScriptedAgentCliFixture;
import dev.roost.cli.testing.TmuxShell;
import java.nio.file.Files;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** {@code ps --watch} in a real terminal with real runs. */
@CliFixture.OneDaemon
class WatchScreenProcessTest extends ScriptedAgentCliFixture {

    private static final Duration SOON = Duration.ofSeconds(30);

    private TmuxShell watch(int columns, int rows, String... words) throws Exception {
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
        return TmuxShell.run(scratch, environment, columns, rows, command);
    }

    private String named(String name, String script) {
        return roost("run", "--name", name, "--", "sh", "-c", script).ok().out().strip();
    }

    @Test
    void the_list_updates_and_a_run_is_opened_followed_and_stopped() throws Exception {
        named("nightly", "echo begun; while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; echo went on; sleep 1000");
        try (var tmuxShell = watch(100, 24)) {
            tmuxShell.awaitScreen("begun"); // the last line of its output
            tmuxShell.awaitScreen("1 running");
            var second = start("exit 3");
            tmuxShell.awaitScreen("1 died, 1 running, 1 unread");
            assertThat(tmuxShell.screen()).containsSubsequence(second, "nightly");
            tmuxShell.keys("/");
            tmuxShell.keys("-l", "night");
            tmuxShell.awaitGone(second);
            tmuxShell.keys("Enter", "Enter");
            tmuxShell.awaitScreen("q back");
            tmuxShell.awaitScreen("begun");
            touch("go");
            tmuxShell.awaitScreen("went on");
            tmuxShell.keys("s");
            tmuxShell.awaitScreen("Stop nightly");
            tmuxShell.keys("n");
            tmuxShell.awaitGone("Stop nightly");
            tmuxShell.keys("s");
            tmuxShell.awaitScreen("Stop nightly");
            tmuxShell.keys("y");
            tmuxShell.awaitScreen("■ canceled_by_user");
            tmuxShell.awaitScreen("it was stopped");
            tmuxShell.keys("q");
            tmuxShell.awaitScreen("⏎ open");
            tmuxShell.keys("Escape"); // the filter
            tmuxShell.awaitScreen(second);
            tmuxShell.keys("q");
            assertThat(tmuxShell.awaitEnd()).isZero();
        }
    }

    @Test
    void an_invalid_owner_is_refused_before_the_screen_opens() throws Exception {
        try (var tmuxShell = watch(100, 24, "--owner", "nonsense")) {
            assertThat(tmuxShell.awaitEnd()).isEqualTo(2);
        }
    }

    @Test
    void the_view_sends_messages_and_answers_permission_questions() throws Exception {
        claude("--name", "steered", "--", "steer", "me");
        try (var tmuxShell = watch(80, 24)) {
            tmuxShell.awaitScreen("steered");
            tmuxShell.awaitScreen("▸ running");
            tmuxShell.keys("Enter");
            tmuxShell.awaitScreen("q back");
            tmuxShell.keys("m");
            tmuxShell.awaitScreen("to steered:");
            // a pasted line end does not send the message
            tmuxShell.tmux("set-buffer", "go\nthe other way");
            tmuxShell.tmux("paste-buffer", "-p", "-r");
            tmuxShell.awaitScreen("go⏎the other way");
            tmuxShell.keys("Enter");
            tmuxShell.awaitScreen("went the other way");
            tmuxShell.awaitScreen("✓ completed");
            tmuxShell.keys("q");

            var asker = claude("--name", "asker", "--", "ask", "first");
            awaitQuestion(asker);
            tmuxShell.awaitScreen("asks: Bash: touch zz");
            tmuxShell.keys("g", "m");
            tmuxShell.awaitScreen("asker asks for permission: Bash: touch zz");
            tmuxShell.keys("y");
            tmuxShell.awaitScreen("Sent to asker.");
            await().atMost(SOON)
                    .until(() -> roost("show", asker, "--json").ok().json().has("ended_at"));
            assertThat(roost("output", asker).ok().out()).contains("allowed");
            tmuxShell.keys("C-c");
            assertThat(tmuxShell.awaitEnd()).isZero();
        }
    }

    @Test
    void a_run_adopted_by_another_owner_leaves_the_list() throws Exception {
        var given = roost("run", "--owner", "cli:anna", "--name", "given", "--", "sleep", "1000");
        roost("run", "--owner", "cli:anna", "--name", "kept", "--", "sleep", "1000")
                .ok();
        try (var tmuxShell = watch(100, 24, "--owner", "cli:anna")) {
            tmuxShell.awaitScreen("2 running");
            roost("adopt", given.ok().out().strip(), "--to", "cli:berta").ok();
            tmuxShell.awaitScreen("1 running");
            tmuxShell.awaitGone("given");
            assertThat(tmuxShell.screen()).contains("kept");
            tmuxShell.keys("q");
            tmuxShell.awaitEnd();
        }
    }

    @Test
    void an_agents_output_cannot_control_the_terminal() throws Exception {
        named("evil", """
                printf '\\033]0;taken over\\007\\033[2J\\033[H\\033[?1049l\\033[31mred\\033[0m\\033c \\302\\2332J\\n'
                printf '\\033[5;5Hplaced \\346\\227\\245\\346\\234\\254\\n'
                sleep 1000
                """);
        try (var tmuxShell = watch(80, 24)) {
            tmuxShell.awaitScreen("␛[5;5Hplaced 日本");
            tmuxShell.keys("Enter");
            tmuxShell.awaitScreen("␛]0;taken over␇␛[2J␛[H␛[?1049lred␛c �2J");
            assertThat(tmuxShell.screen()).contains("evil  ▸ running").contains("q back");
            assertThat(tmuxShell.tmux("display-message", "-p", "#{pane_title} #{alternate_on}"))
                    .doesNotContain("taken over")
                    .endsWith(" 1\n");
            assertThat(tmuxShell.tmux("capture-pane", "-p", "-e")).contains("\033[31mred");
            tmuxShell.keys("q", "q");
            tmuxShell.awaitEnd();
        }
    }

    @Test
    @OwnDaemon
    void the_view_handles_every_size_and_survives_a_kill_of_the_daemon() throws Exception {
        named("first", "sleep 1000");
        try (var tmuxShell = watch(120, 40)) {
            tmuxShell.awaitScreen("⏎ open   s stop");
            tmuxShell.tmux("resize-window", "-x", "40", "-y", "10");
            tmuxShell.awaitScreen("⏎ open  s stop  m send  ? help  q quit");
            assertThat(tmuxShell.screen().stripTrailing().lines()).hasSize(10);
            ProcessHandle.of(daemonPid()).orElseThrow().destroyForcibly();
            tmuxShell.awaitScreen("the daemon is gone");
            tmuxShell.awaitScreen("first");
            named("second", "sleep 1001"); // starts the next one
            tmuxShell.awaitScreen("2 running");
            tmuxShell.awaitScreen("second");
            tmuxShell.awaitGone("the daemon is gone");
            tmuxShell.keys("q");
            assertThat(tmuxShell.awaitEnd()).isZero();
        }
    }

    @Test
    void the_terminal_is_restored_however_the_view_ends() throws Exception {
        start("sleep 1000");
        for (boolean forcibly : new boolean[] {false, true}) {
            try (var tmuxShell = watch(80, 24)) {
                tmuxShell.awaitScreen("1 running");
                var view = tmuxShell.command();
                var holder = view.children().findFirst().orElseThrow();
                if (forcibly) view.destroyForcibly();
                else view.destroy();
                assertThat(holder.onExit()).succeedsWithin(SOON);
                assertThat(tmuxShell.awaitEnd()).isEqualTo(forcibly ? 137 : 143);
            }
            for (var file : new String[] {"before", "ended"}) Files.delete(scratch.resolve(file));
        }
    }

    @Test
    void the_view_ends_with_its_terminal_and_leaves_no_process() throws Exception {
        start("sleep 1000");
        ProcessHandle view;
        ProcessHandle holder;
        try (var tmuxShell = watch(80, 24)) {
            tmuxShell.awaitScreen("1 running");
            view = tmuxShell.command();
            holder = view.children().findFirst().orElseThrow();
        }
        assertThat(view.onExit()).succeedsWithin(SOON);
        assertThat(holder.onExit()).succeedsWithin(SOON);
    }

    @Test
    void ctrl_z_restores_the_terminal_and_fg_continues() throws Exception {
        named("nightly", "sleep 1000");
        try (var tmuxShell = watch(80, 24)) {
            tmuxShell.awaitScreen("1 running");
            tmuxShell.keys("C-z");
            assertThat(tmuxShell.awaitEnd()).as("stopped by SIGTSTP").isEqualTo(148);
            var view = tmuxShell.command();
            tmuxShell.keys("fg", "Enter");
            tmuxShell.awaitScreen("1 running");
            tmuxShell.keys("Enter");
            tmuxShell.awaitScreen("q back");
            tmuxShell.keys("q");
            tmuxShell.awaitScreen("⏎ open");
            tmuxShell.keys("q");
            assertThat(view.onExit()).succeedsWithin(SOON);
            assertThat(tmuxShell.modes()).isEqualTo(tmuxShell.modesBefore());
        }
    }
}
