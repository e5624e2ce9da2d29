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

/** What an attempt left on a bad disk: read as it was written, or not at all, and never as something else. */
@Timeout(value = 2, unit = TimeUnit.MINUTES, threadMode = Timeout.ThreadMode.SEPARATE_THREAD)
class AttemptDirectoryFuzzTest {

    private static final int USUALLY = 800;
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

    /** Reads, where only the one kind of failure is allowed. */
    private interface Reading<T> {
        T read() throws IOException;
    }

    private static <T> Optional<T> readable(Reading<T> reading) {
        try {
            return Optional.of(reading.read());
        } catch (IOException e) {
            return Optional.empty();
        }
    }

    @Test
    void an_exit_is_what_the_file_says_or_there_is_none() {
        var samples = List.of(
                FuzzRunner.bytes("{\"status\":0,\"signaled\":false}\n"),
                FuzzRunner.bytes("{\"status\":143,\"signaled\":true}\n"),
                FuzzRunner.bytes("{\"status\":7,\"signaled\":false}\n"));
        FuzzRunner.each(USUALLY, samples, input -> {
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
    void a_torn_exit_is_none() {
        var samples = List.of(FuzzRunner.bytes("{\"status\":130,\"signaled\":false}\n"));
        FuzzRunner.run(USUALLY, samples, (mutations, shown) -> {
            var input = shown.show(mutations.torn(mutations.sample()));
            write("exit", input);
            var exit = attempt.exit();
            var text = new String(input, StandardCharsets.UTF_8);
            assertThat(exit.isPresent()).isEqualTo(text.strip().endsWith("}") && text.indexOf('\0') < 0);
        });
    }

    @Test
    void a_start_is_what_the_file_says_or_there_is_none() {
        var samples = List.of(
                FuzzRunner.bytes(
                        "{\"perch_pid\":11,\"perch_start\":22,\"agent_pid\":33,\"agent_start\":44,\"boot_id\":\"" + BOOT
                                + "\",\"grouped\":true}\n"),
                FuzzRunner.bytes("{\"perch_pid\":1,\"perch_start\":2,\"agent_pid\":3,\"agent_start\":4,\"boot_id\":\""
                        + BOOT + "\"}\n"));
        FuzzRunner.each(USUALLY, samples, input -> {
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
    void who_fenced_it_and_who_began_it_is_what_the_file_says_or_not_known() throws IOException {
        attempt.record(new FenceMark(Instant.parse("2026-01-02T03:04:05Z"), "another node has it"));
        var fenced = List.of(sample("fenced"));
        var begun = List.of(FuzzRunner.bytes("4711 12345 " + BOOT + "\n"), FuzzRunner.bytes("revoked"), new byte[0]);
        FuzzRunner.each(USUALLY, fenced, input -> {
            write("fenced", input);
            readable(attempt::fenced)
                    .flatMap(one -> one)
                    .ifPresent(one -> assertThat(one.why()).isNotNull());
        });
        FuzzRunner.each(USUALLY, begun, input -> {
            write("begun.1", input);
            var text = new String(input, StandardCharsets.UTF_8);
            if (attempt.beginning() instanceof BegunRecord.StartedByPerch(var perch, var boot))
                assertThat(text).contains(perch.pid() + "", perch.startTicks() + "", boot);
        });
    }

    @Test
    void a_damaged_spec_is_an_error_that_says_so_and_a_damaged_rest_is_absent() throws IOException {
        var spec = List.of(sample("spec.json"));
        FuzzRunner.each(USUALLY, spec, input -> {
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
                FuzzRunner.bytes("{\"argv\":[\"true\"],\"cwd\":\"/\",\"umask\":\"022\"}")); // of an earlier version
        var any = List.of(
                FuzzRunner.bytes("A=b\nc\0"), FuzzRunner.bytes("/sys/fs/cgroup/roost/r_1.1"), FuzzRunner.bytes("42\n"));
        FuzzRunner.each(USUALLY, any, input -> {
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
    void a_heartbeat_is_of_the_boot_that_is_written_or_there_is_none() throws IOException {
        var home = Files.createDirectories(scratch.resolve("home"));
        FuzzRunner.each(USUALLY, List.of(FuzzRunner.bytes(BOOT), FuzzRunner.bytes(BOOT + "\n")), input -> {
            Files.write(home.resolve("alive"), input);
            readable(() -> new Heartbeat(new Home(home)).last())
                    .flatMap(one -> one)
                    .ifPresent(beat -> assertThat(beat.bootId())
                            .isNotBlank()
                            .isEqualTo(new String(input, StandardCharsets.UTF_8).strip()));
        });
    }

    @Test
    void what_was_put_where_a_perch_begins_is_named_and_not_looked_at_for_ever() throws IOException {
        Files.createSymbolicLink(attempt.path().resolve("begun.1"), scratch.resolve("nowhere"));
        assertThatThrownBy(() -> PerchLauncher.find(attempt, (perch, boot) -> false, () -> false))
                .isInstanceOf(IOException.class)
                .hasMessageContaining("begun.1 is no file of a perch's");
        assertThat(scratch.resolve("nowhere")).doesNotExist();
    }

    /** Sparse: it takes no room on the disk, and must take none in memory. */
    @Test
    void a_record_that_is_a_monster_is_not_read() throws IOException {
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
