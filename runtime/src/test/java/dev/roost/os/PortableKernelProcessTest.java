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

/** The portable half of the kernel interface gives the same answers about a process as the Linux half. */
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
    void no_class_of_the_linux_half_loads_where_the_portable_half_is_in_use(Class<?> half) {
        assertThatThrownBy(() -> Class.forName(half.getName(), true, half.getClassLoader()))
                .hasStackTraceContaining(half.getSimpleName() + " is for Linux");
    }

    @Test
    void the_requested_kernel_half_is_in_use() {
        boolean asked = "1".equals(System.getenv("ROOST_PORTABLE"));
        assertThat(Kernel.here()).isInstanceOf(asked ? PortableKernel.class : LinuxKernel.class);
        assertThat(MachineLimits.isForced()).isEqualTo(asked);
    }

    @Test
    void java_and_the_script_compute_the_same_start_time() throws Exception {
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
            try (var output = process.inputReader()) {
                for (int i = 0; i < 2; i++) {
                    var fields = output.readLine().split(" ", 2);
                    var id = new ProcessId(Long.parseLong(fields[0]), Long.parseLong(fields[1]));
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
    void a_start_time_is_a_number_that_grows_with_time() {
        assertThat(PortableKernel.second(Instant.parse("2026-12-31T23:59:59.999Z")))
                .isEqualTo(20261231235959L);
        assertThat(PortableKernel.second(Instant.parse("2027-01-01T00:00:00Z"))).isEqualTo(20270101000000L);
    }

    @Test
    void a_row_has_parent_session_and_command() throws Exception {
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
    void a_zombie_is_not_alive() throws Exception {
        var parent = new ProcessBuilder("sh", "-c", "sleep 0.2 & echo $!; exec sleep 1000").start();
        try (var output = parent.inputReader()) {
            long child = Long.parseLong(output.readLine());
            var id = portable.row(child).orElseThrow().id();
            await().atMost(SOON).until(() -> !portable.alive(id));
            assertThat(portable.row(child)).as("the parent has not reaped it").isPresent();
            assertThat(portable.alive(portable.row(parent.pid()).orElseThrow().id()))
                    .isTrue();
        } finally {
            end(parent);
        }
    }

    @Test
    void a_new_session_needs_no_setsid_program() throws Exception {
        var builder = new ProcessBuilder("sh", "-c", "echo \"$$ $1\"; exec sleep 1000", "sh", "two words");
        portable.inOwnSession(builder);
        assertThat(builder.command()).doesNotContain("setsid");
        var process = builder.start();
        try (var output = process.inputReader()) {
            assertThat(output.readLine()).isEqualTo(process.pid() + " two words");
            assertThat(Libc.getsid(process.pid())).isEqualTo((int) process.pid());
        } finally {
            end(process);
        }
    }

    @Test
    void an_environment_variable_is_distinguished_from_an_argument() throws Exception {
        var home = "ROOST_HOME=" + scratch.resolve("with a space and é");
        var carrier = sleeper("env", home, "ROOST_RUN_ID=r_1");
        var talker = new ProcessBuilder("sh", "-c", "sleep 1000; :", home, "ROOST_RUN_ID=r_1").start();
        try {
            await().atMost(SOON).untilAsserted(() -> {
                var scan = portable.scanProcesses();
                assertThat(scan.carries(carrier.pid(), home)).isTrue();
                assertThat(scan.environment(carrier.pid())).contains("\0ROOST_RUN_ID=r_1\0");
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
    void only_a_process_that_writes_into_the_directory_counts_as_its_writer() throws Exception {
        var directory = Files.createDirectory(scratch.resolve("1")).toRealPath();
        var beside = Files.createDirectory(scratch.resolve("10"));
        var file = Files.createFile(directory.resolve("out")).toFile();
        var writer = new ProcessBuilder("sleep", "1000").redirectOutput(file).start();
        var reader = new ProcessBuilder("sleep", "1000").redirectInput(file).start();
        var other = new ProcessBuilder("sleep", "1000")
                .redirectOutput(beside.resolve("out").toFile())
                .start();
        try {
            var scan = portable.scanProcesses();
            scan.prepare(Set.of(writer.pid(), reader.pid(), other.pid()));
            assertThat(scan.writesInto(writer.pid(), directory)).isTrue();
            assertThat(scan.writesInto(reader.pid(), directory)).isFalse();
            assertThat(scan.writesInto(other.pid(), directory)).isFalse();
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
    void a_signal_reaches_only_the_intended_process() throws Exception {
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
    void processor_time_is_parsed_in_the_format_of_each_system() {
        assertThat(PsSnapshot.hundredths("0:00.05")).isEqualTo(5); // macOS
        assertThat(PsSnapshot.hundredths("712:34.56")).isEqualTo((712 * 60 + 34) * 100 + 56);
        assertThat(PsSnapshot.hundredths("00:01:02")).isEqualTo(6200); // Linux
        assertThat(PsSnapshot.hundredths("3-04:05:06")).isEqualTo((((3 * 24 + 4) * 60 + 5) * 60 + 6) * 100);
        assertThat(PsSnapshot.hundredths("-")).isZero();
    }

    @Test
    void a_busy_process_uses_time_and_a_reused_pid_does_not() throws Exception {
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
    void a_failing_query_is_retried_a_limited_number_of_times() {
        var asked = new AtomicInteger();
        assertThat(PortableKernel.retry(() -> {
                    if (asked.incrementAndGet() < 3) throw new IllegalStateException("processes appeared");
                    return "all";
                }))
                .isEqualTo("all");
        assertThatThrownBy(() -> PortableKernel.retry(() -> {
                    throw new IllegalStateException("always");
                }))
                .hasMessage("always");
    }

    @Test
    void clocks_do_not_follow_changes_of_the_wall_clock() {
        var clock = new SystemClock();
        assertThat(Math.abs(portable.monotonicNanos() - System.nanoTime())).isLessThan(1_000_000_000L);
        assertThat(Math.abs(portable.sleptNanos() - clock.sleptNanos())).isLessThan(1_000_000_000L);
    }

    @Test
    void the_guard_and_the_daemon_read_the_same_clock() throws Exception {
        var script = scratch.resolve("script");
        try (var half = PortableKernel.class.getResourceAsStream("/dev/roost/process/portable.sh")) {
            Files.writeString(script, new String(half.readAllBytes(), StandardCharsets.UTF_8) + "look; echo $now");
        }
        long before = portable.hundredthsSinceBoot();
        var shell = new ProcessBuilder("sh", script.toString()).start();
        long fromScript =
                Long.parseLong(new String(shell.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip());
        assertThat(fromScript).isBetween(before, portable.hundredthsSinceBoot());
    }

    @Test
    void the_portable_half_works_on_this_machine() {
        assertThat(portable.missingTools()).isEmpty();
        assertThat(portable.bootId()).startsWith("init-2").isEqualTo(new PortableKernel().bootId());
        assertThat(portable.openFilesLimit()).isPositive();
        assertThat(portable.openFiles()).isPositive();
        assertThat(portable.hostName()).isPresent();
    }
}
