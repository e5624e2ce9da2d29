package dev.roost.home;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.fuzz.FuzzRunner;
import dev.roost.process.PerchLauncher;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

/** Files of an attempt on a damaged disk: a reader gets the written value or none, never another value. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AttemptDirectoryFuzzTest {

    private static final int ROUNDS = 800;
    private static final String BOOT = "6f1a1f5e-7c2b-4b43-9d0e-0123456789ab";

    @TempDir
    Path scratch;

    private AttemptDirectory attempt;

    @BeforeEach
    void makeDirectory() throws IOException {
        attempt = new AttemptDirectory(scratch.resolve("1"));
        attempt.create(
                new AttemptSpec(
                        List.of("sh", "-c", "echo 'é' \"$A\""),
                        scratch,
                        "022",
                        AttemptSpec.Input.PIPE,
                        Optional.of("s-1")),
                Map.of("A", "b\nc"),
                Optional.of("do it"),
                "{}");
    }

    private byte[] sample(String name) throws IOException {
        return Files.readAllBytes(attempt.path().resolve(name));
    }

    private Path write(String name, byte[] bytes) throws IOException {
        return Files.write(attempt.path().resolve(name), bytes);
    }

    /** May throw an IOException only. */
    private interface FileRead<T> {
        T read() throws IOException;
    }

    private static <T> Optional<T> readable(FileRead<T> file) {
        try {
            return Optional.of(file.read());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Test
    void an_exit_is_read_as_written_or_is_absent() {
        var samples = List.of(
                FuzzRunner.bytes("{\"status\":0,\"signaled\":false}\n"),
                FuzzRunner.bytes("{\"status\":143,\"signaled\":true}\n"),
                FuzzRunner.bytes("{\"status\":7,\"signaled\":false}\n"));
        FuzzRunner.each(ROUNDS, samples, input -> {
            write("exit", input);
            var text = new String(input, StandardCharsets.UTF_8);
            readable(attempt::exit).flatMap(exit -> exit).ifPresent(exit -> {
                assertThat(text)
                        .containsPattern("\"status\"\\s*:\\s*%d\\s*[,}]".formatted(exit.status()))
                        .containsPattern("\"signaled\"\\s*:\\s*%s\\s*[,}]".formatted(exit.signaled()));
                assertThat(exit.status()).isBetween(0, 255);
                assertThat(exit.inWords()).isNotBlank();
            });
        });
    }

    @Test
    void a_torn_exit_record_is_absent() {
        var samples = List.of(FuzzRunner.bytes("{\"status\":130,\"signaled\":false}\n"));
        FuzzRunner.run(ROUNDS, samples, (mutations, shown) -> {
            var input = shown.show(mutations.torn(mutations.sample()));
            write("exit", input);
            var exit = attempt.exit();
            var text = new String(input, StandardCharsets.UTF_8);
            assertThat(exit.isPresent()).isEqualTo(text.strip().endsWith("}") && text.indexOf('\0') < 0);
        });
    }

    @Test
    void a_start_is_read_as_written_or_is_absent() {
        var samples = List.of(
                FuzzRunner.bytes(
                        "{\"perch_pid\":11,\"perch_start\":22,\"agent_pid\":33,\"agent_start\":44,\"boot_id\":\"" + BOOT
                                + "\",\"grouped\":true}\n"),
                FuzzRunner.bytes("{\"perch_pid\":1,\"perch_start\":2,\"agent_pid\":3,\"agent_start\":4,\"boot_id\":\""
                        + BOOT + "\"}\n"));
        FuzzRunner.each(ROUNDS, samples, input -> {
            write("start", input);
            var text = new String(input, StandardCharsets.UTF_8);
            readable(attempt::start).flatMap(start -> start).ifPresent(start -> {
                for (var process : List.of(start.perch(), start.agent())) {
                    assertThat(process.pid()).isPositive();
                    assertThat(process.startTicks()).isNotNegative();
                    assertThat(text).contains(process.pid() + "", process.startTicks() + "");
                }
                assertThat(start.bootId()).isNotBlank();
            });
        });
    }

    @Test
    void fence_marks_and_begun_files_are_read_as_written_or_are_unknown() throws IOException {
        attempt.record(new FenceMark(Instant.parse("2026-01-02T03:04:05Z"), "another node has it"));
        var fenced = List.of(sample("fenced"));
        var begun = List.of(FuzzRunner.bytes("4711 12345 " + BOOT + "\n"), FuzzRunner.bytes("revoked"), new byte[0]);
        FuzzRunner.each(ROUNDS, fenced, input -> {
            write("fenced", input);
            readable(attempt::fenced)
                    .flatMap(one -> one)
                    .ifPresent(one -> assertThat(one.why()).isNotNull());
        });
        FuzzRunner.each(ROUNDS, begun, input -> {
            write("begun.1", input);
            var text = new String(input, StandardCharsets.UTF_8);
            if (attempt.beginning() instanceof BegunRecord.StartedByPerch(var perch, var boot))
                assertThat(text).contains(perch.pid() + "", perch.startTicks() + "", boot);
        });
    }

    @Test
    void a_damaged_spec_is_an_error_and_other_damaged_files_are_absent() throws IOException {
        var spec = List.of(sample("spec.json"));
        FuzzRunner.each(ROUNDS, spec, input -> {
            write("spec.json", input);
            readable(attempt::spec).ifPresent(read -> {
                assertThat(read.argv()).doesNotContainNull();
                assertThat(read.umask()).matches("[0-7]{3,4}");
            });
            readable(attempt::environment)
                    .ifPresent(all -> assertThat(all.keySet())
                            .doesNotContain("")
                            .allSatisfy(name -> assertThat(name).doesNotContain("=")));
        });
        write(
                "spec.json",
                FuzzRunner.bytes(
                        "{\"argv\":[\"true\"],\"cwd\":\"/\",\"umask\":\"022\"}")); // an earlier version wrote this
        var any = List.of(
                FuzzRunner.bytes("A=b\nc\0"), FuzzRunner.bytes("/sys/fs/cgroup/roost/r_1.1"), FuzzRunner.bytes("42\n"));
        FuzzRunner.each(ROUNDS, any, input -> {
            write("env", input);
            write("cgroup", input);
            write("setup.failed", input);
            write("prompt", input);
            readable(attempt::environment)
                    .ifPresent(all -> assertThat(all)
                            .doesNotContainKeys("")
                            .allSatisfy((_, value) -> assertThat(value).doesNotContain("\0")));
            readable(() -> attempt.cgroup("r_1.1"))
                    .flatMap(one -> one)
                    .ifPresent(group -> assertThat(group.isAbsolute() && group.endsWith("r_1.1"))
                            .isTrue());
            readable(() -> attempt.setup().failed());
            readable(attempt::promptText);
        });
    }

    @Test
    void a_heartbeat_has_the_written_boot_id_or_is_absent() throws IOException {
        var home = Files.createDirectories(scratch.resolve("home"));
        FuzzRunner.each(ROUNDS, List.of(FuzzRunner.bytes(BOOT), FuzzRunner.bytes(BOOT + "\n")), input -> {
            Files.write(home.resolve("alive"), input);
            readable(() -> new Heartbeat(new Home(home)).last())
                    .flatMap(one -> one)
                    .ifPresent(beat -> assertThat(beat.bootId())
                            .isNotBlank()
                            .isEqualTo(new String(input, StandardCharsets.UTF_8).strip()));
        });
    }

    @Test
    void an_unexpected_file_at_begun_n_is_reported_instead_of_retried() throws IOException {
        Files.createSymbolicLink(attempt.path().resolve("begun.1"), scratch.resolve("nowhere"));
        assertThatThrownBy(() -> PerchLauncher.find(attempt, (perch, boot) -> false, () -> false))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("begun.1 was not created by a perch");
        assertThat(scratch.resolve("nowhere")).doesNotExist();
    }

    /** The files are sparse and take no disk space; reading them must take no memory. */
    @Test
    void an_oversized_record_is_not_read() throws IOException {
        for (var name : List.of("exit", "start", "fenced", "begun.1", "cgroup")) {
            try (var file =
                    new java.io.RandomAccessFile(attempt.path().resolve(name).toFile(), "rw")) {
                file.setLength(3L << 30);
            }
        }
        assertThat(readable(attempt::exit).flatMap(one -> one)).isEmpty();
        assertThat(readable(attempt::start).flatMap(one -> one)).isEmpty();
        assertThat(readable(attempt::fenced).flatMap(one -> one)).isEmpty();
        assertThat(readable(attempt::beginning)).isNotEqualTo(Optional.of(new BegunRecord.RevokedRecord()));
        assertThat(readable(() -> attempt.cgroup("x")).flatMap(one -> one)).isEmpty();
    }
}
