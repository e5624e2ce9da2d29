package dev.roost.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.Refusal;
import dev.roost.git.Worktree;
import dev.roost.git.worktree.EnsureResult;
import dev.roost.model.RunId;
import dev.roost.transfer.TransferBundle.BundleHeader;
import dev.roost.transfer.testing.TransferMachine;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataOutputStream;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** A transfer bundle is complete, known and harmless, or it is refused and nothing is written. */
public class TransferBundleProcessTest {

    public static final RunId RUN = new RunId("r_0123456789ab");
    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");
    private static final String SESSION = "acab1ddd-0f7e-48f5-bd13-9fd8dae7ecd8";

    @TempDir
    Path scratch;

    TransferMachine here;
    TransferMachine there;

    @BeforeEach
    void createMachines() throws IOException {
        here = new TransferMachine(scratch.resolve("here"), "app");
        there = new TransferMachine(scratch.resolve("there"), "other");
        here.write(".claude/projects/" + ClaudeSessionFiles.folder(here.cwd) + "/" + SESSION + ".jsonl", "{\"a\":1}\n");
    }

    @AfterEach
    void leaves_no_temporary_files() throws IOException {
        assertThat(here.isTidy()).isTrue();
        assertThat(there.isTidy()).isTrue();
    }

    private static String git(Path directory, String... words) throws Exception {
        var process = new ProcessBuilder(Stream.concat(
                                Stream.of("git", "-c", "user.name=Ada", "-c", "user.email=ada@example.org"),
                                Stream.of(words))
                        .toList())
                .directory(directory.toFile())
                .redirectErrorStream(true)
                .start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output.strip();
    }

    @Test
    void a_run_moves_with_its_conversation_and_its_work() throws Exception {
        var repo = here.home.resolve("repo");
        Files.createDirectories(repo.resolve("sub"));
        git(repo, "init", "-q", "-b", "main");
        Files.writeString(repo.resolve("sub/a.txt"), "one\n");
        git(repo, "add", ".");
        git(repo, "commit", "-q", "-m", "first");
        git(there.home, "clone", "-q", repo.toString(), "clone");
        var base = git(repo, "rev-parse", "HEAD");
        var w = new Worktree(RUN, scratch.resolve("here/w"), repo.resolve(".git"), base, Optional.of("main"));
        here.worktrees.ensure(w, scratch.resolve("here/kept"));
        Files.writeString(w.path().resolve("sub/a.txt"), "changed\n");
        Files.writeString(w.path().resolve("sub/new.txt"), "new\n");
        here.worktrees.checkpoint(w, "test", NOW);
        var location = new AgentLocation(
                List.of(), here.location().environment(), w.path().resolve("sub"));
        var folder = ClaudeSessionFiles.folder(w.path().toRealPath().resolve("sub"));
        here.write(".claude/projects/" + folder + "/" + SESSION + ".jsonl", "{\"b\":2}\n");
        byte[] bytes;
        String fingerprint;
        var source =
                new BundleSource(RUN, 3, "claude", location, Optional.of(SESSION), Optional.of(w), Optional.empty());
        try (var bundle = here.packer.pack(source);
                var again = here.packer.pack(source)) {
            bytes = TransferMachine.bytes(bundle);
            fingerprint = bundle.fingerprint();
            assertThat(again.fingerprint()).isEqualTo(fingerprint);
        }

        var v = new Worktree(RUN, there.home.resolve("w"), there.home.resolve("clone/.git"), base, Optional.of("main"));
        try (var bundle = there.packer.read(new ByteArrayInputStream(bytes))) {
            assertThat(bundle.header()).isEqualTo(new BundleHeader(RUN, 3, "claude", "sub"));
            assertThat(bundle.fingerprint()).isEqualTo(fingerprint);
            assertThat(bundle.work().orElseThrow().base()).isEqualTo(base);
            assertThat(there.packer.unpackWork(bundle, v, scratch.resolve("there/kept"), NOW))
                    .isPresent();
            assertThat(there.worktrees.ensure(v, scratch.resolve("there/kept")).how())
                    .isEqualTo(EnsureResult.EnsureAction.FROM_RESCUE);
            var cwd = v.path().resolve(bundle.header().inside());
            assertThat(there.packer.unpackConversation(
                            bundle,
                            new AgentLocation(List.of(), there.location().environment(), cwd)))
                    .contains(SESSION);
        }

        assertThat(there.read("w/sub/a.txt")).isEqualTo("changed\n");
        assertThat(there.read("w/sub/new.txt")).isEqualTo("new\n");
        var arrived = ClaudeSessionFiles.folder(v.path().toRealPath().resolve("sub"));
        assertThat(there.read(".claude/projects/" + arrived + "/" + SESSION + ".jsonl"))
                .isEqualTo("{\"b\":2}\n");
    }

    @Test
    void a_bundle_of_another_run_is_refused() throws IOException {
        var other = new Worktree(
                new RunId("r_ba9876543210"), there.home.resolve("w"), there.home, "0".repeat(40), Optional.empty());
        try (var bundle = there.packer.read(new ByteArrayInputStream(here.pack("claude", SESSION)))) {
            assertThatThrownBy(() -> there.packer.unpackWork(bundle, other, scratch, NOW))
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining(RUN.text());
        }
    }

    @Test
    void a_truncated_bundle_is_refused_at_every_length() throws IOException {
        var bytes = here.pack("claude", SESSION);
        for (int length = 0; length < bytes.length; length++) {
            var cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> there.unpack(cut)).isInstanceOf(Refusal.class);
        }
        assertThat(there.files()).isEmpty();
    }

    @Test
    void a_changed_byte_is_detected() throws IOException {
        var bytes = here.pack("claude", SESSION);
        bytes[bytes.length - 2] ^= 1;
        refused(bytes, "damaged");
        refused(Arrays.copyOf(here.pack("claude", SESSION), bytes.length + 1), "more bytes than its entry list says");
    }

    @Test
    void another_format_version_is_refused_with_a_message() throws IOException {
        var text = new String(here.pack("claude", SESSION), StandardCharsets.ISO_8859_1);
        refused(
                text.replace("roost luggage 1\n", "roost luggage 2\n").getBytes(StandardCharsets.ISO_8859_1),
                "version \"2\"");
        refused("something else entirely".getBytes(StandardCharsets.UTF_8), "not a transfer bundle");
    }

    @Test
    void file_names_that_leave_the_directory_are_refused() throws IOException {
        for (var name : List.of(
                "../transcript.jsonl",
                "/etc/passwd",
                "beside/../../x",
                "beside//x",
                "beside/.bashrc",
                "a\\b",
                "a\u0000b",
                "",
                "beside/" + "a/".repeat(10) + "x")) refused(claude(SESSION, name), "not a valid file name");
        refused(claude(SESSION, "settings.json"), "is not a session file of");
        refused(claude("../" + SESSION, "transcript.jsonl"), "not a session id");
        refused(
                list("codex", SESSION, "2026/11/15/rollout-2026-11-15T20-31-09-other.jsonl"),
                "is not a session file of");
        refused(list("codex", SESSION, "config.toml"), "is not a session file of");
        refused(list("gemini", SESSION, "settings.json"), "is not a session file of");
        refused(list("gemini", SESSION, "session-1.jsonl"), "another conversation");
        refused(list("opencode", SESSION, "export.json"), "not an export");
        refused(list("vim", SESSION, "vimrc"), "does not know the tool");
    }

    @Test
    void unknown_or_invalid_fields_are_refused() throws IOException {
        refused(
                bytes("{\"run\":\"%s\",\"attempt\":1,\"driver\":\"claude\",\"inside\":\"\",\"shell\":\"x\"}"
                        .formatted(RUN)),
                "\"shell\"");
        refused(bytes("{\"run\":\"../x\",\"attempt\":1,\"driver\":\"claude\",\"inside\":\"\"}"), "has no valid run id");
        refused(
                bytes("{\"run\":\"%s\",\"attempt\":1,\"driver\":\"claude\",\"inside\":\"../..\"}".formatted(RUN)),
                "not a directory in a worktree");
        refused(bytes("[]"), "cannot be read");
        refused(bytes("{"), "cannot be read");
    }

    @Test
    void a_bundle_over_the_size_limit_is_not_read() throws IOException {
        var bytes = here.pack("claude", SESSION);
        var limited = new BundlePacker(there.worktrees, there.scratch, new BundleLimits(3, 3));
        assertThatThrownBy(() -> limited.read(new ByteArrayInputStream(bytes)))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("the limit of a transfer");
    }

    private void refused(byte[] bytes, String why) throws IOException {
        assertThatThrownBy(() -> there.unpack(bytes))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining(why);
        assertThat(there.files()).isEmpty();
    }

    private static byte[] claude(String session, String name) throws IOException {
        return list("claude", session, name);
    }

    /** The bytes of a malicious bundle. */
    private static byte[] list(String tool, String session, String name) throws IOException {
        var content = "{\"evil\":1}\n".getBytes(StandardCharsets.UTF_8);
        var listed = """
                {"run":"%s","attempt":1,"driver":"%s","inside":"","conversation":{"tool":"%s","session":"%s",
                 "pieces":[{"name":"%s","bytes":%d,"sha256":"%s"}]}}
                """.formatted(
                        RUN,
                        tool,
                        tool,
                        session,
                        name.replace("\\", "\\\\").replace("\u0000", "\\u0000"),
                        content.length,
                        HexFormat.of().formatHex(BundleDirectory.sha256().digest(content)));
        var bytes = new ByteArrayOutputStream();
        bytes.write(bytes(listed));
        bytes.write(content);
        return bytes.toByteArray();
    }

    private static byte[] bytes(String list) throws IOException {
        var bytes = new ByteArrayOutputStream();
        var out = new DataOutputStream(bytes);
        out.writeBytes("roost luggage 1\n");
        out.writeInt(list.getBytes(StandardCharsets.UTF_8).length);
        out.write(list.getBytes(StandardCharsets.UTF_8));
        return bytes.toByteArray();
    }
}
