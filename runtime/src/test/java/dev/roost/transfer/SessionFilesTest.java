package dev.roost.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.Refusal;
import dev.roost.transfer.testing.TransferMachine;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Conversations are read from where their tool stores them, and written to where the tool finds them on the other machine. */
class SessionFilesTest {

    private static final String SESSION = "acab1ddd-0f7e-48f5-bd13-9fd8dae7ecd8";

    @TempDir
    Path scratch;

    TransferMachine here;
    TransferMachine there;

    @BeforeEach
    void createMachines() throws IOException {
        here = new TransferMachine(scratch.resolve("here"), "src/my_app.x");
        there = new TransferMachine(scratch.resolve("there"), "other");
    }

    @AfterEach
    void leaves_no_temporary_files() throws IOException {
        assertThat(here.isTidy()).isTrue();
        assertThat(there.isTidy()).isTrue();
    }

    private static String claude(TransferMachine machine) {
        return ".claude/projects/" + ClaudeSessionFiles.folder(machine.cwd) + "/" + SESSION;
    }

    @Test
    void a_transcript_is_written_to_the_folder_of_the_other_directory() throws IOException {
        here.write(claude(here) + ".jsonl", "{\"a\":1}\n{\"b\":2}\n");
        here.write(claude(here) + "/subagents/agent-a1.jsonl", "{}\n");
        here.write(claude(here) + "/tool-results/long.txt", "long");

        assertThat(there.unpack(here.pack("claude", SESSION))).contains(SESSION);

        assertThat(there.files())
                .isEqualTo(Map.of(
                        claude(there) + ".jsonl", "{\"a\":1}\n{\"b\":2}\n",
                        claude(there) + "/subagents/agent-a1.jsonl", "{}\n",
                        claude(there) + "/tool-results/long.txt", "long"));
    }

    @Test
    void folders_have_the_names_that_claude_gives_them() { // observed with the real program
        assertThat(ClaudeSessionFiles.folder(Path.of("/tmp/lug/A/pro_ject.x"))).isEqualTo("-tmp-lug-A-pro-ject-x");
        assertThat(ClaudeSessionFiles.folder(Path.of("/tmp/lug/A/é😀z"))).isEqualTo("-tmp-lug-A----z");
        var longest = "/tmp/lug/A/" + "x".repeat(120) + "/" + "y".repeat(120) + "/é😀z";
        assertThat(ClaudeSessionFiles.folder(Path.of(longest)))
                .isEqualTo("-tmp-lug-A-" + "x".repeat(120) + "-" + "y".repeat(68) + "-d9yn04");
    }

    @Test
    void an_incomplete_last_line_is_not_moved() throws IOException {
        here.write(claude(here) + ".jsonl", "{\"whole\":1}\n{\"hal");

        there.unpack(here.pack("claude", SESSION));

        assertThat(there.read(claude(there) + ".jsonl")).isEqualTo("{\"whole\":1}\n");
    }

    @Test
    void environment_variables_name_the_directory_of_the_tool() throws IOException {
        var config = here.home.resolve("elsewhere");
        here.write("elsewhere/projects/" + ClaudeSessionFiles.folder(here.cwd) + "/" + SESSION + ".jsonl", "{}\n");
        var variables = Map.of("HOME", here.home.toString(), "CLAUDE_CONFIG_DIR", config.toString());
        var source = new BundleSource(
                TransferBundleProcessTest.RUN,
                1,
                "claude",
                new AgentLocation(java.util.List.of(), variables, here.cwd),
                Optional.of(SESSION),
                Optional.empty(),
                Optional.empty());
        try (var bundle = here.packer.pack(source)) {
            assertThat(bundle.conversation()).isPresent();
        }
    }

    @Test
    void a_codex_rollout_keeps_its_name() throws IOException {
        var name = ".codex/sessions/2026/11/15/rollout-2026-11-15T20-31-09-" + SESSION + ".jsonl";
        here.write(name, "{}\n");
        here.write(name.replace("acab", "ffff"), "{\"another\":1}\n");

        there.unpack(here.pack("codex", SESSION));

        assertThat(there.files()).isEqualTo(Map.of(name, "{}\n"));
    }

    @Test
    void a_gemini_chat_is_written_to_the_project_of_the_other_directory() throws IOException {
        var chat = "{\"sessionId\":\"" + SESSION + "\"}\n{\"type\":\"user\"}\n";
        here.write(".gemini/tmp/my-app-x/.project_root", here.cwd.toString());
        here.write(".gemini/tmp/my-app-x/chats/session-2026-11-15T20-31-acab1ddd.jsonl", chat);
        here.write(".gemini/tmp/my-app-x/chats/session-2026-11-15T20-31-ffffffff.jsonl", "{\"sessionId\":\"x\"}\n");
        there.write(".gemini/tmp/other/.project_root", there.cwd.toString());
        var bytes = here.pack("gemini", SESSION);

        there.unpack(bytes);

        assertThat(there.read(".gemini/tmp/other/chats/session-moved-1-acab1ddd.jsonl"))
                .isEqualTo(chat);
        assertThat(there.files()).hasSize(2);

        there.write(".gemini/tmp/other/chats/session-moved-1-acab1ddd.jsonl", chat + "{\"type\":\"gemini\"}\n");
        here.unpack(there.pack("gemini", SESSION));
        assertThat(here.files())
                .containsEntry(
                        ".gemini/tmp/my-app-x/chats/session-moved-1-acab1ddd.jsonl", chat + "{\"type\":\"gemini\"}\n")
                .containsEntry(".gemini/tmp/my-app-x/chats/session-2026-11-15T20-31-acab1ddd.jsonl.roost-before", chat)
                .hasSize(4);
    }

    @Test
    void a_directory_unknown_to_gemini_gets_a_project() throws IOException {
        here.write(".gemini/tmp/a/.project_root", here.cwd.toString());
        here.write(".gemini/tmp/a/chats/session-1.jsonl", "{\"sessionId\":\"" + SESSION + "\"}\n");

        there.unpack(here.pack("gemini", SESSION));

        assertThat(there.files())
                .hasSize(2)
                .containsValue(there.cwd.toString())
                .anySatisfy((name, _) -> assertThat(name).endsWith("/chats/session-moved-1-acab1ddd.jsonl"));
    }

    @Test
    void the_session_of_an_acp_agent_is_searched_in_all_tools() throws IOException {
        var name = ".codex/sessions/2026/11/15/rollout-2026-11-15T20-31-09-" + SESSION + ".jsonl";
        here.write(name, "{}\n");

        assertThat(there.unpack(here.pack("acp", SESSION))).contains(SESSION);
        assertThat(there.files()).containsOnlyKeys(name);
    }

    @Test
    void a_session_that_cannot_be_moved_is_not_packed() throws IOException {
        assertThat(there.unpack(here.pack("claude", SESSION))).isEmpty();
        assertThat(there.unpack(here.pack("command", SESSION))).isEmpty();
        assertThat(there.unpack(here.pack("acp", SESSION))).isEmpty();
        assertThat(there.unpack(here.pack("opencode", "ses_none"))).isEmpty();
        assertThat(there.unpack(here.pack("claude", "../../etc/passwd"))).isEmpty();
        assertThat(there.files()).isEmpty();
    }

    @Test
    void a_conversation_over_the_size_limit_is_refused() throws IOException {
        here.write(claude(here) + ".jsonl", "x".repeat(2_000) + "\n");
        var limited = new BundlePacker(here.worktrees, here.scratch, new BundleLimits(1_000, 1_000));
        var source = new BundleSource(
                TransferBundleProcessTest.RUN,
                1,
                "claude",
                here.location(),
                Optional.of(SESSION),
                Optional.empty(),
                Optional.empty());

        assertThatThrownBy(() -> limited.pack(source))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("the limit of a transfer");
    }

    @Test
    void a_symlink_is_not_read() throws IOException {
        var secret = here.write("secret.jsonl", "secret\n");
        var link = here.home.resolve(claude(here) + ".jsonl");
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, secret);

        assertThat(there.unpack(here.pack("claude", SESSION))).isEmpty();
    }

    @Test
    void a_symlink_is_not_written_through() throws IOException {
        here.write(claude(here) + ".jsonl", "{}\n");
        var bytes = here.pack("claude", SESSION);
        var precious = there.write("precious", "precious\n");
        var link = there.home.resolve(claude(there) + ".jsonl");
        Files.createDirectories(link.getParent());
        Files.createSymbolicLink(link, precious);

        assertThatThrownBy(() -> there.unpack(bytes)).isInstanceOf(Refusal.class);

        Files.delete(link);
        Files.delete(link.getParent());
        Files.createSymbolicLink(link.getParent(), Files.createDirectory(there.home.resolve("away")));
        assertThatThrownBy(() -> there.unpack(bytes)).isInstanceOf(Refusal.class);
        assertThat(there.files()).isEqualTo(Map.of("precious", "precious\n"));
    }

    @Test
    void the_directory_of_a_tool_may_be_a_symlink() throws IOException {
        here.write(claude(here) + ".jsonl", "{}\n");
        var dotfiles = Files.createDirectories(there.home.resolve("dotfiles/claude"));
        Files.createSymbolicLink(there.home.resolve(".claude"), dotfiles);

        there.unpack(here.pack("claude", SESSION));

        assertThat(there.read(claude(there) + ".jsonl")).isEqualTo("{}\n");
    }

    @Test
    void a_continued_conversation_replaces_the_local_one() throws IOException {
        here.write(claude(here) + ".jsonl", "one\ntwo\nthree\n");
        there.write(claude(there) + ".jsonl", "one\n");
        there.unpack(here.pack("claude", SESSION));
        assertThat(there.files()).isEqualTo(Map.of(claude(there) + ".jsonl", "one\ntwo\nthree\n"));

        there.write(claude(there) + ".jsonl", "one\nsaid here alone\n");
        there.unpack(here.pack("claude", SESSION));
        assertThat(there.files())
                .isEqualTo(Map.of(
                        claude(there) + ".jsonl", "one\ntwo\nthree\n",
                        claude(there) + ".jsonl.roost-before", "one\nsaid here alone\n"));
    }
}
