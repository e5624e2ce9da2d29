package dev.roost.node;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.home.Home;
import dev.roost.home.PrivateFiles;
import dev.roost.process.Script;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The guard's script alone, with a command other than Java. */
class NodeGuardScriptProcessTest {

    private static final Duration SOON = Duration.ofSeconds(30);

    @TempDir
    Path directory;

    private Home home;

    @BeforeEach
    void openHome() {
        home = Home.open(directory.resolve("home with a space"));
    }

    private Process guard(String grace, String... command) throws IOException {
        var words = new ArrayList<>(List.of(
                "sh", Script.install(home, "guard").toString(), home.root().toString(), grace, ""));
        words.addAll(List.of(command));
        var process = new ProcessBuilder(words)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        assertThat(process.inputReader().readLine()).isEqualTo("ready");
        return process;
    }

    private static void endDaemon(Process guard) throws IOException {
        guard.getOutputStream().close();
    }

    private String log() throws IOException {
        return PrivateFiles.tail(home.logs().resolve("guard.log"), 1000);
    }

    @Test
    void the_command_is_retried_until_it_succeeds() throws Exception {
        var guard = guard(
                "0",
                "sh",
                "-c",
                "[ -e \"$0\" ] || { : >\"$0\"; echo cannot >&2; exit 1; }",
                directory.resolve("tried").toString());
        endDaemon(guard);
        assertThat(guard.waitFor()).isZero();
        assertThat(log()).isEqualTo("cannot\n");
    }

    @Test
    void a_missing_program_is_logged_and_retried() throws Exception {
        var program = directory.resolve("program");
        var guard = guard("0", program.toString());
        endDaemon(guard);
        await().atMost(SOON).until(() -> log().contains("not found"));
        assertThat(guard.isAlive()).isTrue();
        Files.writeString(program, "#!/bin/sh\nexit 0\n");
        assertThat(program.toFile().setExecutable(true)).isTrue(); // as after an upgrade
        assertThat(guard.waitFor()).isZero();
    }

    @Test
    void the_guard_works_without_a_log_directory() throws Exception {
        Files.delete(home.logs());
        var guard = guard("0", "touch", directory.resolve("ended").toString());
        endDaemon(guard);
        assertThat(guard.waitFor()).isZero();
        assertThat(directory.resolve("ended")).exists();
    }

    @Test
    void input_from_the_daemon_does_not_count_as_its_end() throws Exception {
        var guard = guard("0", "touch", directory.resolve("ended").toString());
        guard.outputWriter().write("something\n");
        guard.outputWriter().flush();
        assertThat(guard.waitFor(1, TimeUnit.SECONDS)).isFalse();
        assertThat(directory.resolve("ended")).doesNotExist();
        guard.outputWriter().close();
        assertThat(guard.waitFor()).isZero();
        assertThat(directory.resolve("ended")).exists();
    }
}
