package dev.roost.cli.watch;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.terminal.KeyPress;
import dev.roost.cli.terminal.SafeText;
import dev.roost.cli.terminal.TerminalSize;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** The full-screen view without a terminal: what it knows, what keys do, what is on the screen. */
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

    private List<WatchCommand> wishes() {
        var wishes = new ArrayList<WatchCommand>();
        for (var wish = model.nextCommand(); wish.isPresent(); wish = model.nextCommand()) wishes.add(wish.get());
        return wishes;
    }

    private String screen() {
        return String.join("\n", WatchView.lines(model));
    }

    private List<String> order() {
        return model.rows().stream().map(RunList::id).toList();
    }

    private String chosen() {
        return RunList.id(model.visible().get(model.chosen()));
    }

    @Test
    void what_needs_a_person_comes_first() {
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
    void the_selection_stays_on_its_run_and_if_that_goes_on_its_place() {
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
    void of_five_thousand_only_what_is_seen_is_laid_out() {
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
    void every_size_is_filled_and_never_overrun() {
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
    void a_stop_is_asked_for_and_only_y_is_yes() {
        list(run("1", "running").put("name", "nightly"));
        press("s");
        assertThat(screen()).contains("Stop nightly (r_1)? y/n");
        press("x");
        model.press(new KeyPress(KeyPress.Kind.PASTE, "y"));
        press("n");
        assertThat(wishes()).isEmpty();
        press("sy");
        assertThat(wishes()).containsExactly(new WatchCommand.Stop("r_1", "nightly"));
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
        assertThat(wishes()).isEmpty();
        assertThat(screen()).contains("to r_1: quit now⏎or later");
        press(KeyPress.Kind.ENTER);
        assertThat(wishes()).containsExactly(new WatchCommand.Send("r_1", "r_1", "quit now\nor later", ""));
        press("mforgotten");
        model.press(KeyPress.ctrl('c'));
        press("m");
        press(KeyPress.Kind.ENTER);
        assertThat(wishes()).isEmpty();
    }

    @Test
    void a_permission_is_given_for_the_question_that_was_read_and_for_no_other() {
        list(asking("1", "permission", "Bash: make\u202e test", "t1"));
        press("m");
        assertThat(screen())
                .contains("r_1 asks for permission: Bash: make\\u202e test")
                .contains("y = allow   n = deny");
        press("y");
        assertThat(wishes()).containsExactly(new WatchCommand.Send("r_1", "r_1", "allow", "qt1"));
        press("m");
        press("n");
        assertThat(wishes()).containsExactly(new WatchCommand.Send("r_1", "r_1", "deny", "qt1"));
        press("m");
        model.changed(List.of(asking("1", "permission", "Bash: rm -rf /", "t2")), List.of());
        press("y");
        assertThat(wishes()).isEmpty();
        assertThat(screen()).contains("does not ask this any more");
    }

    @Test
    void an_owner_steers_no_terminal() {
        var watched = new WatchModel(new RunList.RunFilter(false, Optional.of("cli:\u202eanna"), ""));
        watched.listed(List.of(), false);
        assertThat(String.join("\n", WatchView.lines(watched))).contains("None of cli:\ufffdanna");
    }

    @Test
    void a_question_for_words_is_answered_by_words() {
        list(asking("1", "input", "Which branch?", "t"));
        press("m");
        assertThat(screen()).contains("r_1 asks: Which branch?").contains("answer r_1:");
        press("main");
        press(KeyPress.Kind.ENTER);
        assertThat(wishes()).containsExactly(new WatchCommand.Send("r_1", "r_1", "main", "qt"));
    }

    @Test
    void the_list_is_filtered_by_words_by_owner_and_by_what_is_read() {
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
        assertThat(wishes()).containsExactly(WatchCommand.SimpleCommand.LIST_ALL);
        assertThat(order()).containsExactly("r_2", "r_1", "r_3");
        press("aa");
        assertThat(wishes()).as("all were fetched already").isEmpty();
        press(KeyPress.Kind.ESCAPE);
        assertThat(wishes()).containsExactly(WatchCommand.SimpleCommand.QUIT);
    }

    @Test
    void an_opened_run_shows_why_it_died_and_how_to_take_its_work() {
        var run = run("1", "failed")
                .put("name", "nightly")
                .put("cause", "exit_code")
                .put("worktree", "/w");
        run.putObject("evidence").put("exit_status", 3).put("stderr_tail", "first\noops \033[2J\n");
        run.putObject("work").put("rescue_ref", "refs/roost/r_1/2").put("landing_text", "2 files uncommitted");
        list(run);
        press(KeyPress.Kind.ENTER);
        assertThat(wishes())
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
        assertThat(wishes()).containsExactly(WatchCommand.SimpleCommand.UNFOLLOW);
        model.changed(List.of(run.deepCopy().put("unread", false)), List.of());
        assertThat(order()).as("what was opened here stays").containsExactly("r_1");
    }

    @Test
    void output_is_followed_until_somebody_scrolls_back_and_then_stays_where_it_is() {
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
        assertThat(screen()).as("at the end it follows again").doesNotContain("scrolled back");
    }

    private void say(String id, int from, int to) {
        var text = new StringBuilder();
        for (int i = from; i < to; i++) text.append("line ").append(i).append('\n');
        model.output("r_" + id, run(id, "running").put("text", text.toString()).put("next_cursor", to), false);
    }

    @Test
    void an_end_is_not_taken_back_by_older_news_and_a_continued_run_is_followed_again() {
        list(run("1", "running"));
        press(KeyPress.Kind.ENTER);
        wishes();
        model.output(
                "r_1",
                run("1", "completed").put("text", "a\n").put("next_cursor", 2).put("result", "the result"),
                false);
        assertThat(screen()).contains("the result");
        model.changed(List.of(run("1", "running")), List.of());
        assertThat(screen()).contains("✓ completed");
        assertThat(wishes()).isEmpty();
        model.changed(List.of(run("1", "running").put("attempt", 2)), List.of());
        assertThat(wishes()).containsExactly(new WatchCommand.Follow("r_1", "/nowhere/1", 2));
    }

    @Test
    void a_daemon_that_is_gone_is_said_and_forgotten_when_it_is_back() {
        list(run("1", "running"));
        model.daemonLost();
        assertThat(screen())
                .contains("the daemon is gone; the list may be outdated")
                .contains("r_1");
        list(run("1", "running"));
        assertThat(screen()).doesNotContain("gone");
    }

    @Test
    void a_line_without_end_is_kept_in_pieces_and_old_lines_are_let_go() {
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
