package dev.roost.testing;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.model.ProcessId;
import dev.roost.model.RunId;
import dev.roost.os.Processes;
import java.io.BufferedReader;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;

/** A {@link StubDaemon} process with pipes to it, in its own process group. */
public record StubDaemonProcess(Process process, BufferedReader stdout, ProcessId guard) {

    public static StubDaemonProcess start(Path home, Duration grace, String cgroupMode, String... prefix)
            throws IOException {
        var argv = new ArrayList<>(List.of("setsid"));
        argv.addAll(List.of(prefix));
        argv.addAll(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1",
                "--enable-native-access=ALL-UNNAMED",
                "-cp",
                System.getProperty("java.class.path"),
                StubDaemon.class.getName(),
                home.toString(),
                Long.toString(grace.toMillis()),
                cgroupMode));
        var process = new ProcessBuilder(argv)
                .redirectError(ProcessBuilder.Redirect.INHERIT)
                .start();
        var stdout = process.inputReader(StandardCharsets.UTF_8);
        var ready = stdout.readLine();
        assertThat(ready).as("output of the daemon").startsWith("ready ");
        long guard = Long.parseLong(ready.substring(6));
        return new StubDaemonProcess(
                process, stdout, Processes.row(guard).orElseThrow().id());
    }

    public void run(RunId run, String script) throws IOException {
        order("run %s %s".formatted(run, script));
    }

    public void order(String line) throws IOException {
        var out = process.outputWriter(StandardCharsets.UTF_8);
        out.write(line + "\n");
        out.flush();
        assertThat(stdout.readLine()).isEqualTo("done");
    }

    public void signal(String signal, boolean group) throws Exception {
        signal(signal, (group ? "-" : "") + process.pid());
    }

    /** Stops the guard, so that it kills nothing before it is continued, however slow this machine is. */
    public void holdGuard() throws Exception {
        signal("STOP", Long.toString(guard.pid()));
    }

    public void letGuardGoOn() throws Exception {
        signal("CONT", Long.toString(guard.pid()));
    }

    private static void signal(String signal, String target) throws Exception {
        assertThat(new ProcessBuilder("kill", "-s", signal, "--", target)
                        .start()
                        .waitFor())
                .isZero();
    }

    public void kill() throws InterruptedException {
        process.destroyForcibly();
        assertThat(process.waitFor(30, TimeUnit.SECONDS)).isTrue();
    }
}
