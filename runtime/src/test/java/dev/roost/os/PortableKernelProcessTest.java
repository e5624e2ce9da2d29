package dev.roost.os;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import dev.roost.model.ProcessId;
import dev.roost.process.Cgroup;
import dev.roost.process.CgroupMounts;
import dev.roost.process.SystemdScope;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.List;
import java.util.Set;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.stream.Stream;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

/** The half of the kernel's seam that is for other systems than Linux; it tells the same as the other half of the same process. */
@Tag("portable")
class PortableKernelProcessTest {

    private static final Duration SOON = Duration.ofSeconds(20);

    private final Kernel portable = new PortableKernel();

    @TempDir
    Path scratch;

    private static Process sleeper(String... before) throws Exception {
        var words = Stream.concat(Stream.of(before), Stream.of("sleep", "1000")).toList();
        return new ProcessBuilder(words).start();
    }

    private static void end(Process process) throws InterruptedException {
        process.destroyForcibly().waitFor();
    }

    static Stream<Class<?>> linuxHalf() {
        return Stream.of(
                LinuxKernel.class,
                LinuxSyscalls.class,
                ProcFs.class,
                PidfdExitWatcher.class,
                InotifyWatcher.class,
                ProcessSpawner.class,
                Cgroup.class,
                CgroupMounts.class,
                SystemdScope.class);
    }

    @Tag("elsewhere")
    @ParameterizedTest
    @MethodSource("linuxHalf")
    void of_the_linux_half_nothing_can_be_touched_where_it_does_not_belong(Class<?> half) {
        assertThatThrownBy(() -> Class.forName(half.getName(), true, half.getClassLoader()))
                .hasStackTraceContaining(half.getSimpleName() + " is for Linux");
    }

    @Test
    void the_kernel_in_use_is_the_one_that_was_asked_for() {
        boolean asked = "1".equals(System.getenv("ROOST_PORTABLE"));
        assertThat(Kernel.here()).isInstanceOf(asked ? PortableKernel.class : LinuxKernel.class);
        assertThat(MachineLimits.isForced()).isEqualTo(asked);
    }

    @Test
    void a_process_is_known_by_its_second_to_java_and_to_the_script_alike() throws Exception {
        var script = scratch.resolve("script");
        try (var half = PortableKernel.class.getResourceAsStream("/dev/roost/process/portable.sh")) {
            Files.writeString(
                    script,
                    "set -fu\n" + new String(half.readAllBytes(), StandardCharsets.UTF_8)
                            + "process; echo $ROOST_PID $ROOST_BORN; (process; echo $ROOST_PID $ROOST_BORN; read -r go) || exit");
        }
        for (var shell : List.of(List.of("dash"), List.of("bash", "--posix"))) {
            var words =
                    Stream.concat(shell.stream(), Stream.of(script.toString())).toList();
            var process = new ProcessBuilder(words).start();
            try (var says = process.inputReader()) {
                for (int i = 0; i < 2; i++) {
                    var told = says.readLine().split(" ", 2);
                    var id = new ProcessId(Long.parseLong(told[0]), Long.parseLong(told[1]));
                    assertThat(portable.row(id.pid()).orElseThrow().id()).isEqualTo(id);
                    if (i == 0) assertThat(id.pid()).isEqualTo(process.pid());
                    else assertThat(id.pid()).isNotEqualTo(process.pid());
                }
            } finally {
                end(process);
            }
        }
    }

    @Test
    void a_start_is_written_as_a_number_that_grows_with_time() {
        assertThat(PortableKernel.second(Instant.parse("2026-12-31T23:59:59.999Z")))
                .isEqualTo(20261231235959L);
        assertThat(PortableKernel.second(Instant.parse("2027-01-01T00:00:00Z"))).isEqualTo(20270101000000L);
    }

    @Test
    void it_sees_parent_session_and_command() throws Exception {
        var process = sleeper("setsid");
        try {
            await().atMost(SOON)
                    .untilAsserted(() -> assertThat(portable.row(process.pid())).hasValueSatisfying(row -> {
                        assertThat(row.parent())
                                .isEqualTo(ProcessHandle.current().pid());
                        assertThat(row.session()).isEqualTo(process.pid());
                        assertThat(row.command()).isEqualTo("sleep");
                    }));
        } finally {
            end(process);
        }
        await().atMost(SOON).until(() -> portable.row(process.pid()).isEmpty());
    }

    @Test
    void one_that_nobody_has_buried_is_dead() throws Exception {
        var parent = new ProcessBuilder("sh", "-c", "sleep 0.2 & echo $!; exec sleep 1000").start();
        try (var says = parent.inputReader()) {
            long child = Long.parseLong(says.readLine());
            var id = portable.row(child).orElseThrow().id();
            await().atMost(SOON).until(() -> !portable.alive(id));
            assertThat(portable.row(child)).as("it is still to be buried").isPresent();
            assertThat(portable.alive(portable.row(parent.pid()).orElseThrow().id()))
                    .isTrue();
        } finally {
            end(parent);
        }
    }

    @Test
    void one_in_a_session_of_its_own_needs_no_setsid_program() throws Exception {
        var builder = new ProcessBuilder("sh", "-c", "echo \"$$ $1\"; exec sleep 1000", "sh", "two words");
        portable.inOwnSession(builder);
        assertThat(builder.command()).doesNotContain("setsid");
        var process = builder.start();
        try (var says = process.inputReader()) {
            assertThat(says.readLine()).isEqualTo(process.pid() + " two words");
            assertThat(Libc.getsid(process.pid())).isEqualTo((int) process.pid());
        } finally {
            end(process);
        }
    }

    @Test
    void a_word_in_the_environment_is_told_from_one_in_the_command() throws Exception {
        var home = "ROOST_HOME=" + scratch.resolve("with a space and é");
        var carrier = sleeper("env", home, "ROOST_RUN_ID=r_1");
        var talker = new ProcessBuilder("sh", "-c", "sleep 1000; :", home, "ROOST_RUN_ID=r_1").start();
        try {
            await().atMost(SOON).untilAsserted(() -> {
                var look = portable.scanProcesses();
                assertThat(look.carries(carrier.pid(), home)).isTrue();
                assertThat(look.environment(carrier.pid())).contains("\0ROOST_RUN_ID=r_1\0");
            });
            assertThat(portable.scanProcesses().carries(talker.pid(), home)).isFalse();
            assertThat(portable.scanProcesses().environment(talker.pid())).doesNotContain("ROOST_RUN_ID=r_1");
            assertThat(portable.scanProcesses().carries(carrier.pid(), "ROOST_RUN_ID=r_"))
                    .isFalse();
        } finally {
            talker.descendants().forEach(ProcessHandle::destroyForcibly);
            end(talker);
            end(carrier);
        }
    }

    @Test
    void who_writes_into_a_directory_is_told_from_who_reads_there_or_writes_elsewhere() throws Exception {
        var directory = Files.createDirectory(scratch.resolve("1")).toRealPath();
        var beside = Files.createDirectory(scratch.resolve("10"));
        var file = Files.createFile(directory.resolve("out")).toFile();
        var writer = new ProcessBuilder("sleep", "1000").redirectOutput(file).start();
        var reader = new ProcessBuilder("sleep", "1000").redirectInput(file).start();
        var other = new ProcessBuilder("sleep", "1000")
                .redirectOutput(beside.resolve("out").toFile())
                .start();
        try {
            var look = portable.scanProcesses();
            look.prepare(Set.of(writer.pid(), reader.pid(), other.pid()));
            assertThat(look.writesInto(writer.pid(), directory)).isTrue();
            assertThat(look.writesInto(reader.pid(), directory)).isFalse();
            assertThat(look.writesInto(other.pid(), directory)).isFalse();
            assertThat(portable.scanProcesses().writesInto(writer.pid(), directory))
                    .isTrue();
            var open = portable.openFilesOfAll();
            assertThat(open.holders(file.toPath().toRealPath())).contains(writer.pid(), reader.pid());
            assertThat(open.below(Path.of("").toRealPath())).contains(writer.pid());
        } finally {
            for (var process : List.of(writer, reader, other)) end(process);
        }
    }

    @Test
    void a_signal_reaches_nobody_but_the_process_that_is_meant() throws Exception {
        var process = sleeper();
        try {
            var id = Processes.row(process.pid()).orElseThrow().id();
            Kernel.here().signal(new ProcessId(id.pid(), id.startTicks() - 1), Kernel.Signal.KILL);
            assertThat(Processes.alive(id)).isTrue();
            Libc.kill(id.pid(), 19); // SIGSTOP on Linux
            await().atMost(SOON).until(() -> portable.isStopped(id.pid()));
            Kernel.here().signal(id, Kernel.Signal.CONT);
            await().atMost(SOON).until(() -> !portable.isStopped(id.pid()));
            Kernel.here().signal(id, Kernel.Signal.TERM);
            assertThat(process.waitFor()).isEqualTo(143);
        } finally {
            end(process);
        }
    }

    @Test
    void time_is_read_as_each_system_writes_it() {
        assertThat(PsSnapshot.hundredths("0:00.05")).isEqualTo(5); // macOS
        assertThat(PsSnapshot.hundredths("712:34.56")).isEqualTo((712 * 60 + 34) * 100 + 56);
        assertThat(PsSnapshot.hundredths("00:01:02")).isEqualTo(6200); // Linux
        assertThat(PsSnapshot.hundredths("3-04:05:06")).isEqualTo((((3 * 24 + 4) * 60 + 5) * 60 + 6) * 100);
        assertThat(PsSnapshot.hundredths("-")).isZero();
    }

    @Test
    void who_computes_uses_time_and_another_with_its_pid_uses_none() throws Exception {
        var busy = new ProcessBuilder("sh", "-c", "while :; do :; done").start();
        try {
            var id = portable.row(busy.pid()).orElseThrow().id();
            await().atMost(SOON).until(() -> portable.cpuTicks(Set.of(id)) >= 100);
            assertThat(portable.cpuTicks(Set.of(new ProcessId(id.pid(), id.startTicks() - 1))))
                    .isZero();
        } finally {
            end(busy);
        }
    }

    @Test
    void a_list_that_failed_twice_is_asked_for_again_and_not_for_ever() {
        var asked = new AtomicInteger();
        assertThat(PortableKernel.persistently(() -> {
                    if (asked.incrementAndGet() < 3) throw new IllegalStateException("processes appeared");
                    return "all";
                }))
                .isEqualTo("all");
        assertThatThrownBy(() -> PortableKernel.persistently(() -> {
                    throw new IllegalStateException("always");
                }))
                .hasMessage("always");
    }

    @Test
    void its_clocks_are_those_that_a_set_wall_clock_does_not_move() {
        var clock = new SystemClock();
        assertThat(Math.abs(portable.monotonicNanos() - System.nanoTime())).isLessThan(1_000_000_000L);
        assertThat(Math.abs(portable.sleptNanos() - clock.sleptNanos())).isLessThan(1_000_000_000L);
    }

    @Test
    void the_guard_and_the_daemon_read_one_clock() throws Exception {
        var script = scratch.resolve("look");
        try (var half = PortableKernel.class.getResourceAsStream("/dev/roost/process/portable.sh")) {
            Files.writeString(script, new String(half.readAllBytes(), StandardCharsets.UTF_8) + "look; echo $now");
        }
        long before = portable.hundredthsSinceBoot();
        var shell = new ProcessBuilder("sh", script.toString()).start();
        long told = Long.parseLong(new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
        assertThat(told).isBetween(before, portable.hundredthsSinceBoot());
    }

    @Test
    void what_it_needs_is_here() {
        assertThat(portable.missingTools()).isEmpty();
        assertThat(portable.bootId()).startsWith("init-2").isEqualTo(new PortableKernel().bootId());
        assertThat(portable.openFilesLimit()).isPositive();
        assertThat(portable.openFiles()).isPositive();
        assertThat(portable.hostName()).isPresent();
    }
}
