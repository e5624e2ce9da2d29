package dev.roost.daemon.delivery;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.HttpFixture;
import dev.roost.daemon.testing.SocketRpcClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import tools.jackson.databind.node.ObjectNode;

/** A session that has ended is continued by a harness of its own, if that is wanted: here a script that does as Claude Code does. */
class HeadlessWakerProcessTest extends HttpFixture {

    private static final String SESSION = "5f0c2a7e-1111-2222-3333-444455556666";

    private String policy = "headless";

    @Override
    public Map<String, String> settings() {
        var settings = new HashMap<>(super.settings());
        settings.put("ROOST_WAKE", policy);
        settings.put("ROOST_WAKE_QUIET", "1ms");
        settings.put("ROOST_WAKE_LIMIT", "2");
        return settings;
    }

    @BeforeEach
    void aHarness() throws Exception {
        configure("[tools]\nagents = [\"command\"]\n");
        restart();
        var bin = Files.createDirectories(scratch.resolve("bin"));
        var claude = bin.resolve("claude");
        Files.writeString(claude, """
                #!/bin/sh
                cat > "$SCRATCH/prompt.$$"
                printf '%s\\n' "$*" >> "$SCRATCH/words"
                env > "$SCRATCH/env"
                ps -o sid= -p $$ > "$SCRATCH/sid"
                echo "it works"
                until [ -e "$SCRATCH/done" ]; do sleep 0.05; done
                [ ! -e "$SCRATCH/fail" ]
                """);
        Files.setPosixFilePermissions(claude, PosixFilePermissions.fromString("rwx------"));
    }

    private ObjectNode hello(ObjectNode hello) {
        hello.putObject("env")
                .put("PATH", scratch.resolve("bin") + ":" + System.getenv("PATH"))
                .put("SCRATCH", scratch.toString())
                .put("ANTHROPIC_API_KEY", "key-of-the-test")
                .put("ROOST_OWNER", "somebody")
                .put("CLAUDE_CODE_SESSION_ID", SESSION)
                .put("CLAUDECODE", "1");
        return hello.put("cwd", scratch.toString());
    }

    /** Starts a run through the bridge, as its model would. */
    private String start(String script) throws Exception {
        try (var bridge = new SocketRpcClient(home)) {
            bridge.send(rpc("mcp", hello(JSON.createObjectNode())).toString());
            bridge.send(toolCall("agent", background(script)).toString());
            for (var line = bridge.line(); ; line = bridge.line()) {
                var run = JSON.readTree(line)
                        .path("result")
                        .path("structuredContent")
                        .path("run_id")
                        .asString("");
                if (!run.isEmpty()) return run;
            }
        }
    }

    private String hook(String event, String more) throws Exception {
        try (var bridge = new SocketRpcClient(home)) {
            var hello = JSON.createObjectNode().put("harness", "claude-code").put("event", event);
            hello.put("input", "{\"session_id\":\"%s\",\"cwd\":\"%s\"%s}".formatted(SESSION, scratch, more));
            bridge.send(rpc("hook", hello).toString());
            var answer = bridge.line();
            bridge.send("written");
            return answer;
        }
    }

    /** The user asked once, and left. */
    private String leaves() throws Exception {
        hook("SessionStart", ",\"source\":\"startup\"");
        hook("UserPromptSubmit", ",\"prompt\":\"do it\"");
        var run = start("until [ -e go ]; do sleep 0.05; done; echo FRUIT");
        hook("Stop", "");
        hook("SessionEnd", "");
        return run;
    }

    private List<String> wakes(String run) throws IOException {
        return show(run)
                .path("timeline")
                .valueStream()
                .filter(event -> event.path("kind").asString().equals("wake"))
                .map(event -> event.path("text").asString())
                .toList();
    }

    private void awaitWake(String run, String words) {
        await().atMost(SOON)
                .untilAsserted(() ->
                        assertThat(wakes(run)).anySatisfy(one -> assertThat(one).contains(words)));
    }

    private List<Path> prompts() throws IOException {
        try (var found = Files.newDirectoryStream(scratch, "prompt.*")) {
            var all = new java.util.ArrayList<Path>();
            found.forEach(all::add);
            return all;
        }
    }

    @Test
    void an_ended_session_is_continued_once_with_the_digest() throws Exception {
        var run = leaves();
        restart(); // the stored environment survives the daemon
        Files.createFile(scratch.resolve("go"));
        awaitWake(run, "woken with d_");
        await().atMost(SOON).until(() -> Files.exists(scratch.resolve("sid")));
        assertThat(Files.readString(scratch.resolve("words"))).startsWith("-p --resume " + SESSION + " ");
        assertThat(prompts())
                .singleElement()
                .satisfies(file -> assertThat(file).content().contains("<roost-notice id=\"d_", run, "completed"));
        assertThat(Files.readString(scratch.resolve("env")))
                .contains("ANTHROPIC_API_KEY=key-of-the-test", "ROOST_HOME=" + home)
                .doesNotContain("CLAUDE_CODE_SESSION_ID", "ROOST_OWNER");
        var pid = prompts().getFirst().getFileName().toString().substring("prompt.".length());
        assertThat(Files.readString(scratch.resolve("sid")).strip()).isEqualTo(pid);

        hook("UserPromptSubmit", ",\"prompt\":\"<roost-notice id=\\\"d_1\\\">\"");
        hook("Stop", "");
        hook("SessionEnd", "");
        Files.createFile(scratch.resolve("done"));
        assertThat(call("inbox", operator()).path("notices"))
                .as("the session has continued since")
                .isEmpty();
        assertThat(prompts()).hasSize(1);
        try (var kept = Files.newDirectoryStream(home.resolve("owners"))) {
            assertThat(kept)
                    .allSatisfy(file -> assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(file)))
                            .isEqualTo("rw-------"));
        }
    }

    @Test
    void a_failed_wake_is_reported_and_its_notice_waits_for_the_user() throws Exception {
        Files.createFile(scratch.resolve("fail"));
        Files.createFile(scratch.resolve("done"));
        var run = leaves();
        Files.createFile(scratch.resolve("go"));
        awaitWake(run, "its harness ended with exit status 1");
        assertThat(call("inbox", operator()).path("notices")).hasSize(1);
        assertThat(hook("SessionStart", ",\"source\":\"resume\"")).contains("roost-notice", run);
        assertThat(prompts()).as("it is not retried").hasSize(1);
    }

    @Test
    void by_default_an_ended_session_stays_ended_and_its_environment_is_not_stored() throws Exception {
        policy = "idle";
        restart();
        var run = leaves();
        Files.createFile(scratch.resolve("go"));
        awaitWake(run, "not woken: it has ended, and its wake policy is not headless");
        assertThat(prompts()).isEmpty();
        assertThat(home.resolve("owners")).doesNotExist();
    }

    @Test
    void a_session_with_an_unknown_environment_is_not_continued() throws Exception {
        hook("SessionStart", ",\"source\":\"startup\"");
        hook("UserPromptSubmit", ",\"prompt\":\"do it\"");
        var run = call("start", task("sh", "-c", "sleep 1").put("caller", "claude:" + SESSION))
                .path("run_id")
                .asString();
        hook("Stop", "");
        hook("SessionEnd", "");
        awaitWake(run, "not woken: its harness offers no way to wake it");
    }
}
