package dev.roost.cli.run;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cli.testing.CliFixture;
import dev.roost.cli.testing.ScriptedAgentCliFixture;
import java.nio.file.Files;
import java.time.Duration;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Agent runs from the command line: prompts, questions, messages, budgets. */
@CliFixture.OneDaemon
class CliAgentRunProcessTest extends ScriptedAgentCliFixture {

    private static final Map<String, String> PARENT = Map.of("ROOST_OWNER", "claude:parent");

    @Test
    void show_prints_the_budget_the_session_and_the_usage_of_a_run() throws Exception {
        var ran = roost(
                        ("run --agent claude --wait --name look --max-time 30m --max-tokens 100000 --max-cost 2.5 --max-turns 7"
                                        + " -- have a look")
                                .split(" ", -1))
                .ok();
        assertThat(ran.out()).contains("hello from claude");
        assertThat(ran.err()).contains("completed").contains("12k tokens, $0.34");

        var shown = roost("show", "look", "--json").ok().json();
        assertThat(shown.path("agent").asString()).isEqualTo("claude");
        assertThat(shown.path("max_tokens").asLong()).isEqualTo(100_000);
        assertThat(shown.path("max_cost_usd").asDouble()).isEqualTo(2.5);
        assertThat(shown.path("max_turns").asInt()).isEqualTo(7);
        assertThat(shown.path("usage").path("cost_usd").asDouble()).isEqualTo(0.34);
        assertThat(roost("show", "look").ok().out())
                .contains(shown.path("session_id").asString())
                .containsPattern("used +12k in, 345 out, \\$0.34, 1 turn")
                .containsPattern("budget +30m0s, 100k tokens, \\$2.50, 7 turns");
        assertThat(Files.readString(scratch.resolve("args")))
                .contains("--permission-mode\ndefault\n")
                .as("only the owner can read the prompt")
                .doesNotContain("have a look");
    }

    @Test
    void only_a_person_may_allow_and_any_caller_may_deny() {
        var id = claude("--owner", "claude:parent", "--name", "asker", "--", "ask", "first");
        awaitQuestion(id);
        assertThat(roost("ps").ok().out()).contains("needs_input").contains("asks: Bash: touch zz");
        assertThat(roost("show", id).ok().out())
                .containsPattern("asks +Bash: touch zz")
                .as("no usage yet")
                .doesNotContainPattern("used +0")
                .contains("roost send " + id + " allow");
        assertThat(roost("inbox").ok().out())
                .contains("asker asks for permission: \"Bash: touch zz\"")
                .contains("roost send " + id + " allow");

        var inbox = roost("inbox", "--json").ok().json();
        assertThat(inbox.path("digest").asString()).startsWith("1 background run cannot go on without an answer:");
        assertThat(inbox.path("notices").get(0).path("question").path("kind").asString())
                .isEqualTo("permission");

        var byModel = coldWith("", PARENT, "send", id, "allow");
        assertThat(byModel.exit()).isEqualTo(5);
        assertThat(byModel.err()).contains("which a person must give");
        assertThat(coldWith("", Map.of("CLAUDECODE", "1"), "send", id, "allow").exit())
                .as("a harness's shell is not a person's")
                .isEqualTo(5);
        var unclear = roost("send", id, "perhaps");
        assertThat(unclear.exit()).isEqualTo(2);
        assertThat(unclear.err()).contains("neither yes nor no");

        assertThat(roost("send", "--wait", id, "allow").ok().out()).contains("allowed");

        var denied = claude("--owner", "claude:parent", "--", "ask", "again");
        awaitQuestion(denied);
        roostWith("", PARENT, "send", denied, "deny", "not", "now").ok();
        assertThat(roost("output", "--block", denied).ok().out()).contains("denied");
        assertThat(roost("inbox", "--owner", "claude:parent").ok().out())
                .as("a notice for the end, none for the answered question")
                .doesNotContain("asks for permission")
                .contains("12k tokens, $0.34");
    }

    @Test
    void send_steers_a_live_run_and_continues_the_conversation_of_an_ended_one() throws Exception {
        var id = claude("--", "steer", "yourself");
        await().atMost(Duration.ofSeconds(30))
                .until(() -> roost("show", id, "--json").ok().json().has("session_id"));
        assertThat(roostWith("the other way\n", Map.of(), "send", id, "-").ok().out())
                .contains("running")
                .contains("attempt 1");
        assertThat(roost("output", "--block", id).ok().out()).contains("went the other way");
        var session = roost("show", id, "--json").ok().json().path("session_id").asString();

        var again = roost("send", "--wait", id, "now", "go", "on").ok();
        assertThat(again.out()).contains("went on").doesNotContain("the other way");
        var shown = roost("show", id, "--json").ok().json();
        assertThat(shown.path("attempt").asInt()).isEqualTo(2);
        assertThat(shown.path("usage").path("cost_usd").asDouble()).isEqualTo(0.68);
        assertThat(Files.readString(scratch.resolve("args"))).contains("--resume\n" + session + "\n");
    }

    @Test
    void invalid_messages_and_options_are_refused() {
        var command = start("sleep 1000");
        awaitProcess(command);
        refused(5, "accepts no messages while it works", "send", command, "faster");
        refused(3, "There is no run", "send", "nope", "hello");
        refused(2, "prompt is empty", "send", command);
        refused(2, "'--max-tokens'", "run", "--max-tokens", "many", "--", "true");
        refused(2, "at least 1", "run", "--max-tokens", "0", "--", "true");
        refused(2, "amount of dollars", "run", "--max-cost", "-3", "--", "true");
        refused(2, "at least 1", "run", "--max-turns", "0", "--", "true");
        refused(2, "prompt is empty", "run", "--agent", "claude");
        var missing = roostWith("", Map.of("PATH", "/usr/bin:/bin"), "run", "--agent", "claude", "--", "hello");
        assertThat(missing.exit()).isEqualTo(2);
        assertThat(missing.err()).contains("There is no executable \"claude\"").contains("npm install");
    }

    private void refused(int exit, String sentence, String... words) {
        var ran = roost(words);
        assertThat(ran.exit()).as(String.join(" ", words) + "\n" + ran.err()).isEqualTo(exit);
        assertThat(ran.err()).startsWith("roost: ").contains(sentence);
    }

    @Test
    void agents_are_listed_with_their_capabilities_and_install_commands() {
        assertThat(roost("agents").ok().out())
                .containsPattern("✓ +command \\(default\\)")
                .containsPattern("✓ +claude +claude +2.1.325 \\(Claude Code\\) +resume steer cost ask +safe +"
                        + scratch.resolve("bin/claude"));
        var without = Map.of("PATH", "/usr/bin:/bin");
        assertThat(roostWith("", without, "agents").ok().out())
                .containsPattern("– +claude .*not installed")
                .contains("npm install -g @anthropic-ai/claude-code");
        var json = roostWith("", without, "agents", "--json").ok().json().path("agents");
        var claude = json.valueStream()
                .filter(one -> one.path("agent").asString().equals("claude"))
                .findFirst()
                .orElseThrow();
        assertThat(claude.path("installed").asBoolean()).isFalse();
        assertThat(claude.path("install").asString()).contains("npm install");
        assertThat(claude.path("can").path("steer").asBoolean()).isTrue();
    }
}
