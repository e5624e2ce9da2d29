package dev.roost.daemon.testing;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** A real bus that stands in for the machine's own, and can go away and come back. */
public final class PrivateBus {

    private final Path directory;
    private Process daemon;

    public PrivateBus(Path directory) throws IOException {
        this.directory = Files.createDirectories(directory);
        Files.writeString(directory.resolve("bus.conf"), """
                <busconfig>
                  <type>session</type>
                  <listen>unix:path=%s</listen>
                  <policy context="default">
                    <allow send_destination="*" eavesdrop="true"/>
                    <allow eavesdrop="true"/>
                    <allow own="*"/>
                  </policy>
                </busconfig>
                """.formatted(socket()));
        daemon = start();
    }

    public Path socket() {
        return directory.resolve("bus");
    }

    public String address() {
        return "unix:path=" + socket();
    }

    private Process start() throws IOException {
        var process = new ProcessBuilder(
                        "dbus-daemon",
                        "--config-file=" + directory.resolve("bus.conf"),
                        "--nofork",
                        "--nopidfile",
                        "--print-address")
                .redirectError(directory.resolve("bus.log").toFile())
                .start();
        assertThat(DaemonFixture.firstLine(process)).as("dbus-daemon serves").startsWith("unix:path=");
        return process;
    }

    public void goAway() throws Exception {
        daemon.destroy();
        daemon.waitFor();
        Files.deleteIfExists(socket());
    }

    public void comeBack() throws IOException {
        daemon = start();
    }
}
