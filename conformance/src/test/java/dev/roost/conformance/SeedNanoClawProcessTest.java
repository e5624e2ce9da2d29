package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.conformance.model.JsonObjects;
import dev.roost.conformance.model.ModelRequest;
import dev.roost.conformance.testing.ContainerFixture;
import dev.roost.conformance.testing.OwnerSessionFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Containers that live for one message, as in NanoClaw, with real namespaces and a real Claude Code. */
class SeedNanoClawProcessTest {

    private static final Duration SOON = Duration.ofSeconds(60);
    private static final Pattern RUN = Pattern.compile("/roost/runs/(r_\\w+)/output\\.md");
    private static final Pattern TASK = Pattern.compile("/tmp/claude-\\d+/\\S+?/tasks/\\w+\\.output");

    @Test
    void a_run_of_one_container_is_found_and_read_in_later_ones(@TempDir Path directory) throws Exception {
        try (var stage = new ContainerFixture(directory)) {
            var worker = "SCRIPT=bash?cmd=" + OwnerSessionFixture.encoded("until [ -e go ]; do sleep 0.1; done")
                    + "|FRUIT-SALAD";
            var first =
                    stage.message("MESSAGE-A SCRIPT=mcp:mcp__roost__agent?run_in_background=true&description=bookmarks"
                            + "&prompt=" + OwnerSessionFixture.encoded(worker)
                            + "|mcp:Bash?run_in_background=true&description=harness&command=echo%20OWN-TASK|bash?cmd="
                            + OwnerSessionFixture.encoded("sleep 2; cat /roost/runs/*/output.md && echo READABLE")
                            + "|hang");
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(stage.askedAbout("MESSAGE-A"))
                            .as(stage::printed)
                            .hasSize(4));
            var answer = stage.askedAbout("MESSAGE-A").getLast().text();
            assertThat(stage.askedAbout("MESSAGE-A")
                            .getLast()
                            .modelRequest()
                            .toolResults()
                            .getLast())
                    .contains("READABLE");
            var run = found(RUN, answer);
            var outputFile = run.group();
            var id = run.group(1);
            var task = found(TASK, answer).group();
            ContainerFixture.destroy(first);

            var quick =
                    "|mcp:mcp__roost__agent?agent=command&run_in_background=true&description=quick&prompt=echo%20QUICK";
            var asked = stage.answered(
                    "MESSAGE-B",
                    "How is it going? SCRIPT=mcp:mcp__roost__agent_list|mcp:mcp__roost__agent_output?run_id=" + id
                            + quick + "|bash?cmd=sleep%202|fine");
            assertThat(asked.getFirst().text())
                    .as("a new session is told of the run and how to read it")
                    .contains(
                            "SessionStart hook additional context: <roost-notice", "still at work", id, "agent_output")
                    .contains("This container ends with your answer", "agent_list");
            assertThat(asked.getFirst().modelRequest().tools())
                    .extracting(ModelRequest.Tool::name)
                    .contains("mcp__roost__agent", "mcp__roost__agent_list", "mcp__roost__agent_output");
            assertThat(asked.getLast().modelRequest().toolResults().subList(0, 2))
                    .allSatisfy(result -> assertThat(result).contains(id, "running", outputFile));
            assertThat(asked.getLast().text())
                    .as("and between tool calls")
                    .contains("PostToolBatch hook additional context: <roost-notice", "1 background run ended");

            Files.createFile(stage.group.resolve("workspace/go"));
            var kept = stage.home.resolve("runs").resolve(id).resolve("output.md");
            await().atMost(SOON).until(() -> Files.readString(kept).contains("completed"));

            asked = stage.answered(
                    "MESSAGE-C",
                    "And now? SCRIPT=mcp:mcp__roost__agent_list|mcp:mcp__roost__agent_output?run_id=" + id
                            + "|bash?cmd=cat%20" + outputFile + "|bash?cmd=cat%20" + task + "|fine");
            assertThat(asked.getFirst().text()).contains("1 background run ended", id, "completed", "agent_output");
            var results = asked.getLast().modelRequest().toolResults();
            assertThat(results.getFirst()).contains(id, "completed", "bookmarks");
            assertThat(results.get(1)).contains("completed", "FRUIT-SALAD");
            assertThat(results.get(2)).as("the output file named in A").contains("FRUIT-SALAD", "completed");
            assertThat(results.get(3))
                    .as("the output of the harness's own task in A")
                    .contains("OWN-TASK");

            var before = Files.readString(kept);
            Files.delete(kept);
            Files.delete(stage.group.resolve("roost/runs").resolve(id).resolve("output.md"));
            var again = stage.tool(stage.groupsToken(), "agent_output", JsonObjects.object("run_id", id));
            assertThat(again.path("result").asString()).contains("FRUIT-SALAD");
            assertThat(kept).hasContent(before);
            assertThat(stage.printedBy("cat " + outputFile)).contains("FRUIT-SALAD", "completed");

            stage.tool(stage.groupsToken(), "agent_send", JsonObjects.object("run_id", id, "message", "SCRIPT=CREAM"));
            again = stage.tool(stage.groupsToken(), "agent_output", JsonObjects.object("run_id", id, "block", true));
            assertThat(again.path("result").asString())
                    .as("in its own conversation")
                    .contains("CREAM");
            assertThat(again.path("attempt").asInt()).isEqualTo(2);
            assertThat(stage.printedBy("cat " + outputFile)).contains("FRUIT-SALAD", "CREAM");
        }
    }

    private static java.util.regex.MatchResult found(Pattern pattern, String text) {
        return pattern.matcher(text).results().findFirst().orElseThrow(() -> new AssertionError(text));
    }

    @Test
    void an_agent_of_a_container_has_the_restrictions_of_the_container_and_ends_completely(@TempDir Path directory)
            throws Exception {
        try (var stage = new ContainerFixture(directory)) {
            var secret = Files.writeString(directory.resolve("secret"), "SECRET");
            var others = stage.tool(
                    Files.readString(stage.home.resolve("token")).strip(),
                    "agent",
                    JsonObjects.object("agent", "command", "description", "x", "prompt", "echo SECRET"));
            assertThat(others.path("status").asString()).isEqualTo("completed");
            var script = """
                    pwd; echo made >here
                    cat '%1$s' '%2$s/token' '%2$s'/runs/*/output.md '%3$s/token' 2>&1
                    curl -sS --unix-socket '%2$s/roost.sock' http://x/ 2>&1
                    [ -e '%2$s/roost.sock' ] && echo SEES-SOCKET
                    kill -0 %4$d 2>/dev/null && echo SEES-DAEMON
                    [ -n "${ROOST_TOKEN:-}" ] && echo HAS-TOKEN
                    for name in settings.json runs/new; do echo x 2>/dev/null >/roost/$name && echo WRITES; done
                    ls /roost/runs; ls /tmp
                    setsid sleep 98765.4321 &
                    """.formatted(secret, stage.home, stage.group, stage.daemon());
            var mine = stage.tool(
                    stage.groupsToken(),
                    "agent",
                    JsonObjects.object("agent", "command", "description", "x", "prompt", script));
            var result = mine.path("result").asString();
            assertThat(result)
                    .as(mine.toString())
                    .contains(
                            "/workspace/group\n", "curl: (", mine.path("run_id").asString())
                    .doesNotContain("SECRET", "roost_", "SEES-", "HAS-TOKEN", "WRITES")
                    .doesNotContain(others.path("run_id").asString());
            assertThat(stage.group.resolve("workspace/here")).hasContent("made");
            assertThat(alive("98765.4321")).isFalse();
            assertThat(stage.printedBy("ls /roost/runs; cat '%s'; ls -A '%s'".formatted(secret, stage.home)))
                    .as("and no container sees more")
                    .contains(mine.path("run_id").asString())
                    .doesNotContain("SECRET", "roost.sock")
                    .doesNotContain(others.path("run_id").asString());

            var live = stage.tool(
                    stage.groupsToken(),
                    "agent",
                    JsonObjects.object(
                            "agent", "command",
                            "description", "x",
                            "run_in_background", true,
                            "prompt", "setsid sleep 98765.1234 & sleep 98765.1234"));
            await().atMost(SOON).until(() -> alive("98765.1234"));
            stage.tool(
                    stage.groupsToken(),
                    "agent_stop",
                    JsonObjects.object("run_id", live.path("run_id").asString()));
            assertThat(alive("98765.1234")).isFalse();
        }
    }

    /** Whether a process sleeps for so long. */
    private static boolean alive(String seconds) {
        return ProcessHandle.allProcesses()
                .anyMatch(process -> process.info()
                        .commandLine()
                        .filter(line -> line.endsWith("sleep " + seconds))
                        .isPresent());
    }
}
