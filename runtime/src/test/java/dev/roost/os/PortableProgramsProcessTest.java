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

/** The programs that the portable half asks are elsewhere, or others, or do not answer. */
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
    void nothingIsLeft() throws InterruptedException {
        sleeper.destroyForcibly().waitFor();
    }

    /** A program that is found before that of the system. */
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
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said.strip();
    }

    private String pid() {
        return Long.toString(sleeper.pid());
    }

    @Test
    void they_are_found_though_the_path_that_we_were_given_does_not_lead_to_them() throws Exception {
        assertThat(ask("missing")).isEqualTo("[]");
        assertThat(ask("writes", pid(), scratch.toRealPath().toString())).isEqualTo("true");
    }

    @Test
    void a_boot_has_one_name_whatever_programs_there_are() throws Exception {
        var known = ask(List.of(MAC), "boot");
        program("sysctl", "echo 6C3F0A52-9D3C-4F0C-8B38-1D1F0C0A9E11");
        assertThat(ask(List.of(MAC), "boot")).isEqualTo(known).isEqualTo(new PortableKernel().bootId());
    }

    @Test
    void the_time_that_a_process_has_used_is_what_ps_says() throws Exception {
        program(
                "ps",
                "for last; do :; done; case $* in *time=*) echo \" $last   1:02.34\" ;; *) exec /bin/ps \"$@\" ;; esac");
        assertThat(ask("cpu", pid())).isEqualTo("6234");
    }

    @Test
    void a_ps_that_takes_all_after_an_equals_sign_for_a_title_is_understood() throws Exception {
        program("ps", "for word; do case $word in *=,*) exit 1 ;; esac; done; exec /bin/ps \"$@\"");
        assertThat(ask("carries", pid(), "ROOST_RUN_ID=r_1")).isEqualTo("true");
    }

    @Test
    void one_that_was_killed_is_asked_again() throws Exception {
        program(
                "lsof",
                "[ -e '%1$s' ] || { : >'%1$s'; kill -9 $$; }; exec /usr/bin/lsof \"$@\""
                        .formatted(scratch.resolve("once")));
        assertThat(ask("writes", pid(), scratch.toRealPath().toString())).isEqualTo("true");
        assertThat(scratch.resolve("once")).exists();
    }

    @Test
    void that_nobody_could_look_is_not_called_nobody() throws Exception {
        var home = scratch.resolve("home").toString();
        assertThat(ask("left", home)).isEqualTo("Exit[status=0, signaled=false] []");
        program("lsof", "kill -9 $$");
        assertThat(ask("left", home)).contains("perhaps others", "lsof");
        Files.delete(bin.resolve("lsof"));
        program("ps", "case $* in *command*) kill -9 $$ ;; esac; exec /bin/ps \"$@\"");
        assertThat(ask("left", home)).contains("perhaps others", "ps");
    }
}
