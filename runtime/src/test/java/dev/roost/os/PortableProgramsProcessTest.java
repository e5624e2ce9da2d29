package dev.roost.os;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The programs of the portable half are in other directories, are other programs, or do not answer. */
@Tag("portable")
class PortableProgramsProcessTest {

    private static final String MAC = "-Dos.name=Mac OS X";

    @TempDir
    Path scratch;

    private Path bin;
    private Process sleeper;

    @BeforeEach
    void setUp() throws IOException {
        bin = Files.createDirectory(scratch.resolve("bin"));
        sleeper = new ProcessBuilder("env", "ROOST_RUN_ID=r_1", "sleep", "1000")
                .redirectOutput(scratch.resolve("out").toFile())
                .start();
    }

    @AfterEach
    void killSleeper() throws InterruptedException {
        sleeper.destroyForcibly().waitFor();
    }

    /** Installs a program that is found before the system's. */
    private void program(String name, String script) throws IOException {
        var file = Files.writeString(bin.resolve(name), "#!/bin/sh\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    private String ask(String... words) throws Exception {
        return ask(List.of(), words);
    }

    private String ask(List<String> options, String... words) throws Exception {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-D" + Kernel.SWITCH + "=true"));
        command.addAll(options);
        command.addAll(List.of("-cp", System.getProperty("java.class.path"), PortableKernelProbe.class.getName()));
        command.addAll(List.of(words));
        var builder = new ProcessBuilder(command).redirectError(ProcessBuilder.Redirect.INHERIT);
        builder.environment().put("PATH", bin.toString());
        var process = builder.start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(output).isZero();
        return output.strip();
    }

    private String pid() {
        return Long.toString(sleeper.pid());
    }

    @Test
    void programs_are_found_outside_the_path_of_this_process() throws Exception {
        assertThat(ask("missing")).isEqualTo("[]");
        assertThat(ask("writes", pid(), scratch.toRealPath().toString())).isEqualTo("true");
    }

    @Test
    void the_boot_id_does_not_depend_on_programs() throws Exception {
        var known = ask(List.of(MAC), "boot");
        program("sysctl", "echo 6C3F0A52-9D3C-4F0C-8B38-1D1F0C0A9E11");
        assertThat(ask(List.of(MAC), "boot")).isEqualTo(known).isEqualTo(new PortableKernel().bootId());
    }

    @Test
    void processor_time_comes_from_ps() throws Exception {
        program(
                "ps",
                "for last; do :; done; case $* in *time=*) echo \" $last   1:02.34\" ;; *) exec /bin/ps \"$@\" ;; esac");
        assertThat(ask("cpu", pid())).isEqualTo("6234");
    }

    @Test
    void a_ps_that_takes_text_after_an_equals_sign_as_a_title_is_supported() throws Exception {
        program("ps", "for word; do case $word in *=,*) exit 1 ;; esac; done; exec /bin/ps \"$@\"");
        assertThat(ask("carries", pid(), "ROOST_RUN_ID=r_1")).isEqualTo("true");
    }

    @Test
    void a_program_that_was_killed_is_run_again() throws Exception {
        program(
                "lsof",
                "[ -e '%1$s' ] || { : >'%1$s'; kill -9 $$; }; exec /usr/bin/lsof \"$@\""
                        .formatted(scratch.resolve("once")));
        assertThat(ask("writes", pid(), scratch.toRealPath().toString())).isEqualTo("true");
        assertThat(scratch.resolve("once")).exists();
    }

    @Test
    void a_missing_answer_is_not_reported_as_no_process() throws Exception {
        var home = scratch.resolve("home").toString();
        assertThat(ask("left", home)).isEqualTo("Exit[status=0, signaled=false] []");
        program("lsof", "kill -9 $$");
        assertThat(ask("left", home)).contains("perhaps others", "lsof");
        Files.delete(bin.resolve("lsof"));
        program("ps", "case $* in *command*) kill -9 $$ ;; esac; exec /bin/ps \"$@\"");
        assertThat(ask("left", home)).contains("perhaps others", "ps");
    }
}
