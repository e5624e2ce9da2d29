package dev.roost.daemon;

import static dev.roost.daemon.HostFailureProcessTest.WITHOUT_OVERRIDE;
import static dev.roost.daemon.HostFailureProcessTest.command;
import static dev.roost.daemon.HostFailureProcessTest.fill;
import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.daemon.testing.DaemonFixture;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import org.junit.jupiter.api.Test;

/** A start failure is reported with its reason, and tolerable problems do not stop the start. */
class StartFailureProcessTest extends DaemonFixture {

    private static void leave(Path filler, int room) throws IOException {
        fill(filler);
        try (var file = FileChannel.open(filler, StandardOpenOption.WRITE)) {
            file.truncate(file.size() - room);
        }
    }

    private static int sizes(Path directory) throws IOException {
        int sum = 0;
        try (var files = Files.newDirectoryStream(directory)) {
            for (var file : files) sum += (int) Files.size(file);
        }
        return sum;
    }

    @Test
    void a_start_on_a_full_disk_does_not_report_a_broken_ledger() throws Exception {
        daemon.destroy();
        daemon.waitFor();
        disconnect();
        command("mount", "-t", "tmpfs", "-o", "size=24m,mode=700", "tmpfs", home.toString());
        try {
            daemon = start();
            int library = sizes(home.resolve("lib"));
            daemon.destroy();
            daemon.waitFor();
            // none at all; too little for the library; enough for that, and too little for the ledger's log
            for (int room : new int[] {0, 64 << 10, library + (8 << 10)}) {
                leave(home.resolve("filler"), room);
                daemon = launch();
                assertThat(firstLine(daemon)).as("%d bytes free", room).contains("disk_full");
                assertThat(daemon.waitFor()).isEqualTo(4);
            }
            Files.delete(home.resolve("filler"));
            daemon = start();
            daemon.destroy();
            daemon.waitFor();
        } finally {
            daemon.destroyForcibly().waitFor();
            command("umount", home.toString());
        }
    }

    @Test
    void a_home_on_a_noexec_filesystem_is_reported_as_such() throws Exception {
        kill9();
        command("mount", "-t", "tmpfs", "-o", "size=24m,mode=700,noexec", "tmpfs", home.toString());
        try {
            var daemonToBe = launch();
            assertThat(firstLine(daemonToBe))
                    .contains("home_noexec")
                    .contains("noexec")
                    .contains("ROOST_HOME");
            assertThat(daemonToBe.waitFor()).isEqualTo(4);
            assertThat(home.resolve("lib")).as("no file is left").isEmptyDirectory();
        } finally {
            command("umount", home.toString());
        }
    }

    @Test
    void a_home_of_another_user_is_refused_even_for_root() throws Exception {
        kill9();
        command("chown", "1234", home.toString());
        var daemonToBe = launch();
        try {
            assertThat(firstLine(daemonToBe)).contains("home_unusable").contains("1234");
            assertThat(daemonToBe.waitFor()).isEqualTo(4);
        } finally {
            daemonToBe.destroyForcibly().waitFor();
            command("chown", "0", home.toString());
        }
    }

    @Test
    void any_other_start_failure_is_reported_in_the_error_format() throws Exception {
        kill9();
        for (int i = 0; i < 5; i++) {
            Files.deleteIfExists(home.resolve("logs/daemon.%d.log".formatted(i)));
            Files.createDirectories(home.resolve("logs/daemon.%d.log/full".formatted(i)));
        }
        try {
            var daemonToBe = launch();
            var error = JSON.readTree(firstLine(daemonToBe)).path("error");
            assertThat(error.path("code").asString()).isEqualTo("home_unusable");
            assertThat(error.path("message").asString()).contains("daemon.0.log");
            assertThat(error.path("hint").asString()).isNotBlank();
            assertThat(daemonToBe.waitFor()).isEqualTo(4);
        } finally {
            command("rm", "-r", home.resolve("logs").toString());
        }
    }

    @Test
    void unreadable_settings_are_an_error_and_not_missing() throws Exception {
        kill9();
        var settings = Files.createDirectories(scratch.resolve("config/roost"));
        Files.setPosixFilePermissions(settings, PosixFilePermissions.fromString("---------"));
        try {
            daemon = launch(WITHOUT_OVERRIDE);
            assertThat(firstLine(daemon)).contains("bad_config").contains("permission denied");
            assertThat(daemon.waitFor()).isEqualTo(4);
        } finally {
            daemon.destroyForcibly().waitFor();
            Files.setPosixFilePermissions(settings, PosixFilePermissions.fromString("rwx------"));
        }
    }

    @Test
    void invalid_standard_variables_are_logged_and_do_not_stop_the_daemon() throws Exception {
        kill9();
        daemon = start("env", "OTEL_EXPORTER_OTLP_ENDPOINT=localhost:4317", "OTEL_EXPORTER_OTLP_HEADERS=a=100%");
        assertThat(home.resolve("logs/daemon.0.log")).content().contains("WARNING OTEL_EXPORTER_OTLP_ENDPOINT");
    }
}
