package dev.roost.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.terminal.KeyPress;
import dev.roost.cli.terminal.SafeText;
import dev.roost.cli.terminal.TerminalSize;
import dev.roost.cli.view.RunEntry;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The full-screen view without a terminal: state, keys and rendered screen. */
class WatchModelTest {

    private final WatchModel model = new WatchModel(RunList.RunFilter.ACTIVE);

    private static ObjectNode run(String id, String status) {
        var run = DaemonClient.JSON.createObjectNode();
        run.put("run_id", "r_" + id)
                .put("owner", "cli:me")
                .put("agent", "command")
                .put("description", "does " + id);
        run.put("status", status).put("attempt", 1).put("unread", true).put("cwd", "/src");
        run.put("output_file", "/nowhere/" + id).put("created_at", "2026-01-01T00:00:00Z");
        if (!status.equals("queued")) run.put("started_at", "2026-01-01T00:00:00Z");
        if (!status.equals("queued") && !status.equals("running")) run.put("ended_at", "2026-01-01T00:00:01Z");
        return run;
    }

    private static ObjectNode asking(String id, String kind, String text, String at) {
        var run = run(id, "running").put("phase", "needs_input");
        run.putObject("question")
                .put("kind", kind)
                .put("text", text)
                .put("asked_at", at)
                .put("id", "q" + at);
        return run;
    }

    private void list(JsonNode... runs) {
        model.listed(List.of(runs), false);
    }

    private void press(String keys) {
        keys.codePoints().forEach(c -> model.press(KeyPress.typed(Character.toString(c))));
    }

    private void press(KeyPress.Kind kind) {
        model.press(KeyPress.of(kind));
    }

    private List<WatchCommand> commands() {
        var commands = new ArrayList<WatchCommand>();
        for (var command = model.nextCommand(); command.isPresent(); command = model.nextCommand())
            commands.add(command.get());
        return commands;
    }

    private String screen() {
        return String.join("\n", WatchView.lines(model));
    }

    private List<String> order() {
        return model.rows().stream().map(RunEntry::id).toList();
    }

    private String chosen() {
        return model.visible().get(model.chosen()).id();
    }

    @Test
    void urgent_runs_come_first() {
        list(
                run("6", "completed"),
                run("5", "queued"),
                run("4", "running"),
                run("3", "failed"),
                asking("2", "permission", "rm", "t"),
                run("1", "abandoned"));
        assertThat(order()).containsExactly("r_2", "r_3", "r_1", "r_4", "r_5", "r_6");
        assertThat(screen()).contains("1 asks, 2 died, 1 running, 1 queued, 3 unread");
    }

    @Test
    void the_selection_keeps_its_run_or_else_its_position() {
        list(run("1", "running"), run("2", "running"), run("3", "running"));
        press("j");
        assertThat(chosen()).isEqualTo("r_2");
        model.changed(List.of(run("9", "failed"), run("8", "running")), List.of());
        assertThat(chosen()).isEqualTo("r_2");
        model.changed(List.of(run("2", "completed").put("unread", false)), List.of());
        assertThat(order()).doesNotContain("r_2");
        assertThat(chosen()).isEqualTo("r_1");
        press("G");
        model.changed(List.of(), List.of("r_1"));
        assertThat(chosen()).isEqualTo("r_3");
    }

    @Test
    void of_five_thousand_runs_only_the_visible_ones_are_laid_out() {
        var many = new ArrayList<JsonNode>();
        for (int i = 0; i < 5000; i++) many.add(run("%05d".formatted(i), "running"));
        model.resized(new TerminalSize(24, 80));
        model.listed(many, false);
        assertThat(model.visible()).hasSize(21);
        press("G");
        assertThat(chosen()).isEqualTo("r_00000");
        press(KeyPress.Kind.PAGE_UP);
        assertThat(chosen()).isEqualTo("r_00021");
        press("g");
        assertThat(chosen()).isEqualTo("r_04999");
        assertThat(screen()).contains("5000 running").doesNotContain("r_04978");
    }

    @Test
    void the_screen_fits_every_size_exactly() {
        list(
                asking("1", "permission", "日本語 ".repeat(40), "t"),
                run("2", "failed").put("name", "日本語のとても長い名前です"),
                run("3", "running"));
        model.lastLines(java.util.Map.of("r_3", "\033[2Jhostile\007 " + "x".repeat(300)));
        for (var size : List.of(
                new TerminalSize(10, 40),
                new TerminalSize(12, 40),
                new TerminalSize(24, 80),
                new TerminalSize(40, 120),
                new TerminalSize(3, 10))) {
            model.resized(size);
            for (var keys : List.of("", "m", "", "s", "", "?", "", "/")) {
                press(keys);
                assertFits(size);
                press(KeyPress.Kind.ESCAPE);
            }
            press("j");
            press(KeyPress.Kind.ENTER);
            assertFits(size);
            press("q");
        }
    }

    private void assertFits(TerminalSize size) {
        var lines = WatchView.lines(model);
        assertThat(lines).hasSize(size.rows());
        for (var line : lines) {
            assertThat(SafeText.width(line)).as(line).isLessThanOrEqualTo(size.columns());
            assertThat(line.replaceAll("\033\\[[0-9;]*m", "").chars().noneMatch(Character::isISOControl))
                    .isTrue();
        }
    }

    @Test
    void a_stop_needs_a_typed_y() {
        list(run("1", "running").put("name", "nightly"));
        press("s");
        assertThat(screen()).contains("Stop nightly (r_1)? y/n");
        press("x");
        model.press(new KeyPress(KeyPress.Kind.PASTE, "y"));
        press("n");
        assertThat(commands()).isEmpty();
        press("sy");
        assertThat(commands()).containsExactly(new WatchCommand.Stop("r_1", "nightly"));
        list(run("2", "failed"));
        press("s");
        assertThat(screen()).contains("r_2 has ended already.");
    }

    @Test
    void a_message_is_sent_whole_and_only_by_enter() {
        list(run("1", "running"));
        press("m");
        press("quit");
        model.press(new KeyPress(KeyPress.Kind.PASTE, " now\nor later"));
        assertThat(commands()).isEmpty();
        assertThat(screen()).contains("to r_1: quit now⏎or later");
        press(KeyPress.Kind.ENTER);
        assertThat(commands()).containsExactly(new WatchCommand.Send("r_1", "r_1", "quit now\nor later", ""));
        press("mforgotten");
        model.press(KeyPress.ctrl('c'));
        press("m");
        press(KeyPress.Kind.ENTER);
        assertThat(commands()).isEmpty();
    }

    @Test
    void an_answer_applies_only_to_the_displayed_question() {
        list(asking("1", "permission", "Bash: make\u202e test", "t1"));
        press("m");
        assertThat(screen())
                .contains("r_1 asks for permission: Bash: make\\u202e test")
                .contains("y = allow   n = deny");
        press("y");
        assertThat(commands()).containsExactly(new WatchCommand.Send("r_1", "r_1", "allow", "qt1"));
        press("m");
        press("n");
        assertThat(commands()).containsExactly(new WatchCommand.Send("r_1", "r_1", "deny", "qt1"));
        press("m");
        model.changed(List.of(asking("1", "permission", "Bash: rm -rf /", "t2")), List.of());
        press("y");
        assertThat(commands()).isEmpty();
        assertThat(screen()).contains("does not ask this any more");
    }

    @Test
    void an_owner_name_cannot_control_the_terminal() {
        var watched = new WatchModel(new RunList.RunFilter(false, Optional.of("cli:\u202eanna"), ""));
        watched.listed(List.of(), false);
        assertThat(String.join("\n", WatchView.lines(watched))).contains("No runs of cli:\ufffdanna");
    }

    @Test
    void a_text_question_is_answered_with_a_message() {
        list(asking("1", "input", "Which branch?", "t"));
        press("m");
        assertThat(screen()).contains("r_1 asks: Which branch?").contains("answer r_1:");
        press("main");
        press(KeyPress.Kind.ENTER);
        assertThat(commands()).containsExactly(new WatchCommand.Send("r_1", "r_1", "main", "qt"));
    }

    @Test
    void the_list_is_filtered_by_words_owner_and_read_state() {
        list(
                run("1", "running").put("name", "Docs"),
                run("2", "running").put("owner", "claude:x"),
                run("3", "completed").put("unread", false));
        press("/");
        press("doc");
        assertThat(order()).containsExactly("r_1");
        press(KeyPress.Kind.ENTER);
        assertThat(screen()).contains("/doc");
        press(KeyPress.Kind.ESCAPE);
        assertThat(order()).containsExactly("r_2", "r_1");
        press("o");
        assertThat(order()).containsExactly("r_2");
        press("o");
        assertThat(order()).containsExactly("r_1");
        press("oa");
        assertThat(commands()).containsExactly(WatchCommand.SimpleCommand.LIST_ALL);
        assertThat(order()).containsExactly("r_2", "r_1", "r_3");
        press("aa");
        assertThat(commands()).as("all runs are loaded already").isEmpty();
        press(KeyPress.Kind.ESCAPE);
        assertThat(commands()).containsExactly(WatchCommand.SimpleCommand.QUIT);
    }

    @Test
    void an_opened_run_shows_its_cause_and_how_to_restore_its_work() {
        var run = run("1", "failed")
                .put("name", "nightly")
                .put("cause", "exit_code")
                .put("worktree", "/w");
        run.putObject("evidence").put("exit_status", 3).put("stderr_tail", "first\noops \033[2J\n");
        run.putObject("work").put("rescue_ref", "refs/roost/r_1/2").put("landing_text", "2 files uncommitted");
        list(run);
        press(KeyPress.Kind.ENTER);
        assertThat(commands())
                .containsExactly(new WatchCommand.Follow("r_1", "/nowhere/1", -1), new WatchCommand.RefreshRun("r_1"));
        var shown = run.deepCopy();
        shown.putArray("git").add("git").add("-C").add("/my repo").add("worktree");
        model.runLoaded(shown);
        assertThat(screen())
                .contains("nightly  ✗ failed exit_code")
                .contains("it exited with an error status (exit status 3")
                .contains("│ oops ␛[2J")
                .contains("2 files uncommitted")
                .contains("roost restore r_1")
                .contains("git -C '/my repo' worktree");
        press("q");
        assertThat(commands()).containsExactly(WatchCommand.SimpleCommand.UNFOLLOW);
        model.changed(List.of(run.deepCopy().put("unread", false)), List.of());
        assertThat(order()).as("an opened run stays in the list").containsExactly("r_1");
    }

    @Test
    void output_is_followed_until_the_user_scrolls_back() {
        model.resized(new TerminalSize(14, 40));
        list(run("1", "running"));
        press(KeyPress.Kind.ENTER);
        say("1", 0, 50);
        assertThat(screen()).contains("line 49\n").doesNotContain("line 30\n");
        press(KeyPress.Kind.PAGE_UP);
        press("k");
        assertThat(screen()).contains("scrolled back").contains("line 34\n").doesNotContain("line 49");
        var before = screen();
        say("1", 50, 60);
        assertThat(screen()).isEqualTo(before);
        press("F");
        assertThat(screen()).contains("line 59\n").doesNotContain("scrolled back");
        press("g");
        assertThat(screen()).contains("line 0\n");
        for (int i = 0; i < 10; i++) press(KeyPress.Kind.PAGE_DOWN);
        assertThat(screen()).as("follows again at the end").doesNotContain("scrolled back");
    }

    private void say(String id, int from, int to) {
        var text = new StringBuilder();
        for (int i = from; i < to; i++) text.append("line ").append(i).append('\n');
        model.output("r_" + id, run(id, "running").put("text", text.toString()).put("next_cursor", to), false);
    }

    @Test
    void a_stale_update_does_not_undo_an_end_and_a_continued_run_is_followed_again() {
        list(run("1", "running"));
        press(KeyPress.Kind.ENTER);
        commands();
        model.output(
                "r_1",
                run("1", "completed").put("text", "a\n").put("next_cursor", 2).put("result", "the result"),
                false);
        assertThat(screen()).contains("the result");
        model.changed(List.of(run("1", "running")), List.of());
        assertThat(screen()).contains("✓ completed");
        assertThat(commands()).isEmpty();
        model.changed(List.of(run("1", "running").put("attempt", 2)), List.of());
        assertThat(commands()).containsExactly(new WatchCommand.Follow("r_1", "/nowhere/1", 2));
    }

    @Test
    void a_lost_daemon_is_reported_until_it_is_back() {
        list(run("1", "running"));
        model.daemonLost();
        assertThat(screen())
                .contains("the daemon is gone; the list may be outdated")
                .contains("r_1");
        list(run("1", "running"));
        assertThat(screen()).doesNotContain("gone");
    }

    @Test
    void a_very_long_line_is_split_and_old_lines_are_dropped() {
        var pager = new OutputPager(false);
        for (int i = 0; i < 100; i++) pager.append("x".repeat(10_000));
        assertThat(pager.rows(5, 80))
                .hasSize(5)
                .allSatisfy(row -> assertThat(row).startsWith("x"));
        pager.append("\n");
        for (int i = 0; i < 30_000; i++) pager.append(i + "\n");
        pager.first();
        assertThat(pager.rows(1, 80)).isNotEqualTo(List.of("0"));
        assertThat(pager.isTruncated()).isTrue();
        assertThat(Optional.of(pager).map(OutputPager::following)).contains(false);
    }
}
