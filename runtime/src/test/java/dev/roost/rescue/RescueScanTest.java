package dev.roost.rescue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.os.OpenFiles;
import dev.roost.rescue.ScanWindow.LiveProcesses;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Scans files in the formats of the real programs; the conformance tests run the programs themselves. */
class RescueScanTest {

    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");
    private static final String SESSION = "11111111-2222-4333-8444-555555555555";

    @TempDir
    Path home;

    private Path parent;
    private Path agent;

    @BeforeEach
    void createSession() throws Exception {
        var project = Files.createDirectories(home.resolve(".claude/projects/-project"));
        parent = Files.writeString(project.resolve(SESSION + ".jsonl"), "");
        agent = Files.createDirectories(project.resolve(SESSION + "/subagents")).resolve("agent-a1.jsonl");
    }

    private static String reply(String at, String stop, String content) {
        return """
                {"type":"assistant","timestamp":"%s","cwd":"/","message":{"id":"m%s","content":[%s],"stop_reason":"%s"}}
                """.formatted(at, at, content, stop);
    }

    private static String answer(String text) {
        return reply("2026-11-15T11:00:09Z", "end_turn", "{\"type\":\"text\",\"text\":\"%s\"}".formatted(text));
    }

    private static String prompt() {
        return """
                {"type":"user","timestamp":"2026-11-15T11:00:00Z","cwd":"/","message":{"content":"do it"}}
                """;
    }

    private static String notice(String status) {
        return """
                {"type":"user","timestamp":"2026-11-15T11:00:10Z","message":{"content":"<task-notification>\\n<task-id>a1</task-id>\\n<status>%s</status>"}}
                """.formatted(status);
    }

    private RescueScan.ScanResult scan(Instant now) {
        return search(now).scan(now);
    }

    private RescueScan search(Instant now) {
        return new RescueScan(
                ToolDirectories.of(Map.of("HOME", home.toString())), List.of(), now.minus(Duration.ofDays(7)));
    }

    private List<LostAgent> lost() {
        return scan(NOW).lost();
    }

    @Test
    void a_finished_agent_counts_as_lost_until_its_session_is_notified() throws Exception {
        Files.writeString(agent, prompt() + answer("42"));
        assertThat(lost()).singleElement().satisfies(one -> {
            assertThat(one.state()).isEqualTo(LostAgent.State.FINISHED);
            assertThat(one.text()).isEqualTo("42");
            assertThat(one.began()).isEqualTo("2026-11-15T11:00:00Z");
            assertThat(one.lastSign()).isEqualTo("2026-11-15T11:00:09Z");
        });
        Files.writeString(parent, notice("completed"));
        assertThat(lost()).isEmpty();
    }

    @Test
    void a_queued_notice_does_not_count_as_delivered() throws Exception {
        Files.writeString(agent, prompt() + answer("42"));
        Files.writeString(parent, notice("completed").replace("\"user\"", "\"queue-operation\""));
        assertThat(lost()).hasSize(1);
    }

    @Test
    void a_finished_agent_with_a_wrong_notice_is_lost() throws Exception {
        Files.writeString(agent, prompt() + answer("42"));
        Files.writeString(parent, notice("stopped"));
        assertThat(lost())
                .singleElement()
                .satisfies(one -> assertThat(one.why()).contains("was told \"stopped\""));
    }

    @Test
    void an_interrupted_agent_with_a_delivered_notice_is_not_lost() throws Exception {
        Files.writeString(agent, prompt());
        Files.writeString(parent, notice("stopped"));
        assertThat(lost()).isEmpty();
    }

    @Test
    void an_incomplete_last_line_does_not_hide_the_lines_before_it() throws Exception {
        var call = reply(
                "2026-11-15T11:00:05Z",
                "tool_use",
                "{\"type\":\"text\",\"text\":\"so far\"},{\"type\":\"tool_use\",\"id\":\"t\",\"name\":\"Bash\",\"input\":{\"command\":\"make\"}}");
        Files.writeString(agent, prompt() + call + "{\"type\":\"assist");
        assertThat(lost()).singleElement().satisfies(one -> {
            assertThat(one.state()).isEqualTo(LostAgent.State.CUT);
            assertThat(one.text()).isEqualTo("so far");
            assertThat(one.doing()).contains("Bash: make");
        });
    }

    @Test
    void an_agent_with_recent_output_is_still_at_work() throws Exception {
        Files.writeString(agent, prompt());
        assertThat(scan(Instant.parse("2026-11-15T11:00:30Z")).lost())
                .singleElement()
                .satisfies(one -> assertThat(one.state()).isEqualTo(LostAgent.State.AT_WORK));
    }

    @Test
    void agents_older_than_requested_are_not_listed() throws Exception {
        Files.writeString(agent, prompt());
        assertThat(scan(NOW.plus(Duration.ofDays(8))).lost()).isEmpty();
    }

    @Test
    void invalid_files_of_one_tool_do_not_hide_the_losses_of_another() throws Exception {
        Files.writeString(agent, prompt());
        var database =
                Files.createDirectories(home.resolve(".local/share/opencode")).resolve("opencode.db");
        Files.writeString(
                database, "this is no database, though it is as long as the head of one would be, and then some more");
        var found = scan(NOW);
        assertThat(found.lost()).hasSize(1);
        assertThat(found.problems()).singleElement().asString().startsWith("OpenCode could not be searched");
    }

    @Test
    void no_agent_is_reported_as_lost_if_lsof_does_not_answer() throws Exception {
        Files.writeString(agent, prompt() + answer("42"));
        assertThat(lost()).hasSize(1);
        var found = search(NOW).scan(NOW, new LiveProcesses(OpenFiles.unknown("lsof")));
        assertThat(found.lost()).isEmpty();
        assertThat(found.strays()).isEmpty();
        assertThat(found.problems()).singleElement().asString().contains("lsof did not answer");
    }

    @Test
    void a_home_without_any_of_the_tools_has_lost_nothing() throws Exception {
        var found = new RescueScan(ToolDirectories.in(Files.createDirectory(home.resolve("empty"))), List.of(), NOW)
                .scan(NOW);
        assertThat(found.lost()).isEmpty();
        assertThat(found.problems()).isEmpty();
    }
}
