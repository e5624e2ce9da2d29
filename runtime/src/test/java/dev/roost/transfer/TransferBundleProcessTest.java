package dev.roost.transfer;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.Refusal;
import dev.roost.git.Worktree;
import dev.roost.git.worktree.EnsureResult;
import dev.roost.model.RunId;
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

/** Luggage is whole, known and harmless, or it is refused and nothing of it is written. */
public class TransferBundleProcessTest {

    public static final RunId RUN = new RunId("r_0123456789ab");
    private static final Instant NOW = Instant.parse("2026-11-15T12:00:00Z");
    private static final String SESSION = "acab1ddd-0f7e-48f5-bd13-9fd8dae7ecd8";

    @TempDir
    Path room;

    TransferMachine here;
    TransferMachine there;

    @BeforeEach
    void make() throws IOException {
        here = new TransferMachine(room.resolve("here"), "app");
        there = new TransferMachine(room.resolve("there"), "other");
        here.write(".claude/projects/" + ClaudeSessionFiles.folder(here.cwd) + "/" + SESSION + ".jsonl", "{\"a\":1}\n");
    }

    @AfterEach
    void nothing_is_left_about() throws IOException {
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
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said.strip();
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
        var w = new Worktree(RUN, room.resolve("here/w"), repo.resolve(".git"), base, Optional.of("main"));
        here.worktrees.ensure(w, room.resolve("here/kept"));
        Files.writeString(w.path().resolve("sub/a.txt"), "changed\n");
        Files.writeString(w.path().resolve("sub/new.txt"), "new\n");
        here.worktrees.checkpoint(w, "test", NOW);
        var location =
                new AgentLocation(List.of(), here.seat().environment(), w.path().resolve("sub"));
        var folder = ClaudeSessionFiles.folder(w.path().toRealPath().resolve("sub"));
        here.write(".claude/projects/" + folder + "/" + SESSION + ".jsonl", "{\"b\":2}\n");
        byte[] bytes;
        String packed;
        var source =
                new BundleSource(RUN, 3, "claude", location, Optional.of(SESSION), Optional.of(w), Optional.empty());
        try (var bundle = here.packer.pack(source);
                var again = here.packer.pack(source)) {
            bytes = TransferMachine.bytes(bundle);
            packed = bundle.fingerprint();
            assertThat(again.fingerprint()).isEqualTo(packed);
        }

        var v = new Worktree(RUN, there.home.resolve("w"), there.home.resolve("clone/.git"), base, Optional.of("main"));
        try (var bundle = there.packer.read(new ByteArrayInputStream(bytes))) {
            assertThat(bundle.header()).isEqualTo(new BundleHeader(RUN, 3, "claude", "sub"));
            assertThat(bundle.fingerprint()).isEqualTo(packed);
            assertThat(bundle.work().orElseThrow().base()).isEqualTo(base);
            assertThat(there.packer.unpackWork(bundle, v, room.resolve("there/kept"), NOW))
                    .isPresent();
            assertThat(there.worktrees.ensure(v, room.resolve("there/kept")).how())
                    .isEqualTo(EnsureResult.EnsureAction.FROM_RESCUE);
            var cwd = v.path().resolve(bundle.header().inside());
            assertThat(there.packer.unpackConversation(
                            bundle, new AgentLocation(List.of(), there.seat().environment(), cwd)))
                    .contains(SESSION);
        }

        assertThat(there.read("w/sub/a.txt")).isEqualTo("changed\n");
        assertThat(there.read("w/sub/new.txt")).isEqualTo("new\n");
        var arrived = ClaudeSessionFiles.folder(v.path().toRealPath().resolve("sub"));
        assertThat(there.read(".claude/projects/" + arrived + "/" + SESSION + ".jsonl"))
                .isEqualTo("{\"b\":2}\n");
    }

    @Test
    void luggage_of_another_run_is_refused() throws IOException {
        var other = new Worktree(
                new RunId("r_ba9876543210"), there.home.resolve("w"), there.home, "0".repeat(40), Optional.empty());
        try (var bundle = there.packer.read(new ByteArrayInputStream(here.pack("claude", SESSION)))) {
            assertThatThrownBy(() -> there.packer.unpackWork(bundle, other, room, NOW))
                    .isInstanceOf(Refusal.class)
                    .hasMessageContaining(RUN.text());
        }
    }

    @Test
    void wherever_it_is_cut_it_is_refused() throws IOException {
        var bytes = here.pack("claude", SESSION);
        for (int length = 0; length < bytes.length; length++) {
            var cut = Arrays.copyOf(bytes, length);
            assertThatThrownBy(() -> there.unpack(cut)).isInstanceOf(Refusal.class);
        }
        assertThat(there.files()).isEmpty();
    }

    @Test
    void a_changed_byte_is_noticed() throws IOException {
        var bytes = here.pack("claude", SESSION);
        bytes[bytes.length - 2] ^= 1;
        refused(bytes, "damaged");
        refused(Arrays.copyOf(here.pack("claude", SESSION), bytes.length + 1), "more of it than is on its list");
    }

    @Test
    void another_version_is_refused_in_words() throws IOException {
        var text = new String(here.pack("claude", SESSION), StandardCharsets.ISO_8859_1);
        refused(
                text.replace("roost luggage 1\n", "roost luggage 2\n").getBytes(StandardCharsets.ISO_8859_1),
                "version \"2\"");
        refused("something else entirely".getBytes(StandardCharsets.UTF_8), "no luggage");
    }

    @Test
    void names_that_lead_elsewhere_are_refused() throws IOException {
        for (var name : List.of(
                "../transcript.jsonl",
                "/etc/passwd",
                "beside/../../x",
                "beside//x",
                "beside/.bashrc",
                "a\\b",
                "a\u0000b",
                "",
                "beside/" + "a/".repeat(10) + "x")) refused(claude(SESSION, name), "no name of a file");
        refused(claude(SESSION, "settings.json"), "has no file");
        refused(claude("../" + SESSION, "transcript.jsonl"), "no session");
        refused(list("codex", SESSION, "2026/11/15/rollout-2026-11-15T20-31-09-other.jsonl"), "has no file");
        refused(list("codex", SESSION, "config.toml"), "has no file");
        refused(list("gemini", SESSION, "settings.json"), "has no file");
        refused(list("gemini", SESSION, "session-1.jsonl"), "another conversation");
        refused(list("opencode", SESSION, "export.json"), "no export");
        refused(list("vim", SESSION, "vimrc"), "nobody here knows");
    }

    @Test
    void what_it_does_not_know_is_refused() throws IOException {
        refused(
                bytes("{\"run\":\"%s\",\"attempt\":1,\"driver\":\"claude\",\"inside\":\"\",\"shell\":\"x\"}"
                        .formatted(RUN)),
                "\"shell\"");
        refused(bytes("{\"run\":\"../x\",\"attempt\":1,\"driver\":\"claude\",\"inside\":\"\"}"), "names no run");
        refused(
                bytes("{\"run\":\"%s\",\"attempt\":1,\"driver\":\"claude\",\"inside\":\"../..\"}".formatted(RUN)),
                "no directory in a worktree");
        refused(bytes("[]"), "cannot be read");
        refused(bytes("{"), "cannot be read");
    }

    @Test
    void more_than_may_travel_is_not_even_read() throws IOException {
        var bytes = here.pack("claude", SESSION);
        var little = new BundlePacker(there.worktrees, there.scratch, new BundleLimits(3, 3));
        assertThatThrownBy(() -> little.read(new ByteArrayInputStream(bytes)))
                .isInstanceOf(Refusal.class)
                .hasMessageContaining("the most that travels");
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

    /** As somebody would write it who means no good. */
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
