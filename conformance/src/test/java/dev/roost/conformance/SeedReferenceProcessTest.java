package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.conformance.model.JsonObjects;
import dev.roost.conformance.model.RequestRecord;
import dev.roost.conformance.testing.OwnerSessionFixture;
import dev.roost.conformance.testing.SharedOwnerSessionFixture;
import dev.roost.conformance.testing.SingleAgentFixture;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Owner;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.JsonNode;

/** The patterns and pitfalls of seeds/004 with a real Claude Code as owner and agent; asserted by the requests to the models. */
class SeedReferenceProcessTest extends SharedOwnerSessionFixture {

    private static String until(String word) {
        return "until [ -e %s ]; do sleep 0.05; done".formatted(word);
    }

    private static String shell(String command) {
        return "bash?cmd=" + OwnerSessionFixture.encoded(command);
    }

    private static List<String> words(List<JsonNode> answers, String field) {
        return answers.stream().map(answer -> answer.path(field).asString("")).toList();
    }

    @Test
    void parallel_waves_are_collected_as_they_arrive() throws Exception {
        var wave = List.of("one", "two", "three");
        var begin = wave.stream()
                .map(name -> stage.background(name, until("wave-" + name) + "; echo " + name))
                .toList();
        var collect = List.of("two", "three", "one").stream()
                .map(name -> shell("touch wave-" + name) + "|"
                        + stage.call("agent_output", "run_id=" + name, "block=true", "timeout_ms=60s"))
                .toList();
        stage.turn(
                session,
                false,
                "MARK-1 SCRIPT=" + String.join("|", begin) + "|" + String.join("|", collect) + "|all in");

        var answers = stage.answers("MARK-1");
        assertThat(words(answers.subList(0, 3), "status")).containsOnly("running");
        var results = IntStream.of(4, 6, 8).mapToObj(answers::get).toList();
        assertThat(words(results, "status")).containsOnly("completed");
        assertThat(words(results, "result")).containsExactly("two\n", "three\n", "one\n");
        assertThat(stage.runs(session))
                .allSatisfy(run -> assertThat(run.latest().unread()).isFalse());
    }

    @Test
    void a_watcher_streams_its_lines_and_each_is_read_once() throws Exception {
        var watcher = IntStream.range(0, 3)
                .mapToObj(i -> until("tick-" + i) + "; echo tock-" + i)
                .reduce((a, b) -> a + "; " + b)
                .orElseThrow();
        stage.turn(
                session,
                false,
                "MARK-2 SCRIPT=" + stage.background("watcher", watcher) + "|" + tick(0) + "|"
                        + stage.call("agent_output", "run_id=watcher") + "|I have seen the first");
        var first = stage.answers("MARK-2").getLast();
        assertThat(first.path("status").asString()).isEqualTo("running");
        assertThat(first.path("text").asString()).isEqualTo("tock-0\n");

        var following = stage.typed(
                "output", "--follow", stage.runs(session).getFirst().id().text());
        try (var lines = following.inputReader(StandardCharsets.UTF_8)) {
            assertThat(lines.readLine()).isEqualTo("tock-0");
            var cursor = "cursor=" + first.path("next_cursor").asLong();
            stage.turn(
                    session,
                    true,
                    "MARK-3 SCRIPT=" + tick(1) + "|" + stage.call("agent_output", "run_id=watcher", cursor)
                            + "|I have seen the second");
            assertThat(stage.answers("MARK-3").getLast().path("text").asString())
                    .as("only new lines")
                    .isEqualTo("tock-1\n");
            assertThat(lines.readLine()).isEqualTo("tock-1");
            go("tick-2");
            assertThat(lines.readLine()).isEqualTo("tock-2");
        }
        assertThat(following.waitFor()).isZero();
    }

    private static String tick(int n) {
        return shell("touch tick-%d; until grep -qs tock-%d \"$ROOST_HOME\"/runs/*/output.md; do sleep 0.05; done"
                .formatted(n, n));
    }

    @Test
    void budgets_end_runs_that_exceed_time_turns_or_tokens() throws Exception {
        var busy = "SCRIPT=" + "bash?cmd=true|".repeat(8) + "never";
        stage.turn(
                session,
                false,
                "MARK-4 SCRIPT="
                        + String.join(
                                "|",
                                stage.call(
                                        "agent",
                                        "agent=command",
                                        "description=slow",
                                        "prompt=sleep 1000",
                                        "max_time=1s"),
                                stage.call("agent", "description=chatty", "prompt=" + busy, "max_turns=2"),
                                stage.call("agent", "description=greedy", "prompt=" + busy, "max_tokens=50"))
                        + "|all are capped");
        var answers = stage.answers("MARK-4");
        assertThat(words(answers, "status")).containsOnly("failed");
        assertThat(words(answers, "cause")).containsExactly("budget_time", "budget_turns", "budget_tokens");
        assertThat(words(answers, "message").toString())
                .contains("it used up its time budget", "it used up its turns", "it used up its token budget");
    }

    @Test
    void an_agent_that_tries_to_start_agents_is_refused_without_a_row() throws Exception {
        var child = "MARK-NESTED SCRIPT="
                + stage.call("agent", "description=swarm", "prompt=SCRIPT=hello", "run_in_background=true")
                + "|I do it myself";
        int before = stage.runs().size();
        stage.turn(
                session,
                false,
                "MARK-5 SCRIPT=" + stage.call("agent", "description=boss", "prompt=" + child) + "|done");

        var answer = stage.answers("MARK-5").getFirst();
        assertThat(answer.path("result").asString()).isEqualTo("I do it myself");
        var boss = stage.runs(session).getFirst();
        assertThat(stage.runs()).as("no row for a refused start").hasSize(before + 1);
        var nested = stage.model.asked().stream()
                .filter(requestRecord -> requestRecord.lastUserText().contains("MARK-NESTED")
                        && !requestRecord.lastUserText().contains("MARK-5"))
                .toList()
                .getLast();
        assertThat(nested.modelRequest().toolResults().getLast())
                .contains("This is inside run " + boss.id(), "may not start runs of its own", "max_depth");
    }

    @Test
    void hooks_fire_inside_the_agent_and_do_not_affect_its_owner() throws Exception {
        var hook = JsonObjects.object("type", "command", "command", "env | grep '^ROOST_RUN_ID=' >> hooked; true");
        var settings = JsonObjects.object();
        settings.putObject("hooks")
                .putArray("PostToolUse")
                .addObject()
                .put("matcher", "Bash")
                .putArray("hooks")
                .add(hook);
        var file = stage.user.project().resolve(".claude/settings.json");
        Files.createDirectories(file.getParent());
        Files.writeString(file, settings.toString());
        var child = "MARK-HOOKED SCRIPT=" + shell(until("child")) + "|" + shell(until("more")) + "|done";
        stage.turn(
                session,
                false,
                "MARK-6 SCRIPT="
                        + stage.call("agent", "description=child", "prompt=" + child, "run_in_background=true")
                        + "|" + stage.background("aside", until("child")) + "|both are begun");
        var owner = new Owner("claude:" + session);
        var parent = stage.service().sessions().find(owner).orElseThrow();

        go("child");
        stage.awaitEnds(1, session);
        go("more");
        stage.awaitEnds(2, session);

        var run = stage.runs(session).getFirst();
        assertThat(Files.readAllLines(stage.user.project().resolve("hooked")))
                .as("its own hook, once for each of its calls")
                .containsExactly("ROOST_RUN_ID=" + run.id(), "ROOST_RUN_ID=" + run.id());
        assertThat(stage.service().sessions().find(owner))
                .as("the hooks of the agent do not change the session of its owner")
                .hasValue(parent);
        assertThat(run.owner()).isEqualTo(owner);
        assertThat(run.sessionId()).isPresent().isNotEqualTo(java.util.Optional.of(session));
        assertThat(stage.model.asked().stream()
                        .filter(requestRecord -> requestRecord.lastUserText().startsWith("MARK-HOOKED"))
                        .map(RequestRecord::text))
                .isNotEmpty()
                .allSatisfy(text ->
                        assertThat(text).as("notices only for the owner").doesNotContain("<roost-notice id"));
        stage.turn(session, true, "MARK-7 SCRIPT=I am told");
        assertThat(stage.askedAbout("MARK-7").getFirst().text()).contains("2 background runs ended");
    }

    @Test
    void an_orphaned_result_is_claimed_by_another_session() throws Exception {
        stage.turn(
                session,
                false,
                "MARK-8 SCRIPT=" + stage.background("orphan", until("orphan") + "; echo PEACH") + "|bye");
        go("orphan");
        stage.awaitEnds(1, session);
        RunRecord run = stage.runs(session).getFirst();
        var heir = OwnerSessionFixture.newSession();
        var adopt = new String[] {"adopt", run.id().text(), "--to", "claude:" + heir};

        stage.turn(
                heir, false, "MARK-9 SCRIPT=" + shell("roost " + String.join(" ", adopt)) + "|it is not mine to take");
        assertThat(stage.answers("MARK-9").getFirst().asString()).contains("Only a person");
        assertThat(stage.runs(heir)).isEmpty();

        var adopted = stage.typed(adopt);
        assertThat(new String(adopted.getInputStream().readAllBytes(), StandardCharsets.UTF_8))
                .isEqualTo("orphan now belongs to claude:%s.\n".formatted(heir));
        stage.turn(heir, true, "MARK-10 SCRIPT=" + stage.call("agent_output", "run_id=orphan") + "|now it is mine");
        assertThat(stage.askedAbout("MARK-10").getFirst().text()).contains("1 background run ended", "orphan");
        assertThat(stage.answers("MARK-10").getFirst().path("result").asString())
                .isEqualTo("PEACH\n");
        assertThat(stage.runs(session)).isEmpty();
        assertThat(stage.service().inbox(java.util.Optional.of(run.owner()), SingleAgentFixture.PERSON))
                .isEmpty();
    }
}
