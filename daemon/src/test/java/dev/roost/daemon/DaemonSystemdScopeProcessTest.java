package dev.roost.daemon;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.daemon.testing.DaemonFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Comparator;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Where a daemon may make no cgroups itself, a real systemd gives it a place where it may. */
class DaemonSystemdScopeProcessTest extends DaemonFixture {

    private static final String HIDES = """
            (env -i /usr/bin/setsid /bin/sh -c 'echo $$ > "$0"; exec /bin/sleep 1000' "$SCRATCH/hidden" >/dev/null 2>&1 &)
            sleep 1000
            """;

    private Path session() {
        return scratch.resolve("session");
    }

    @Override
    public Process start(String... prefix) throws IOException {
        Files.createDirectories(session());
        var script = session().resolve("ssh-session.sh");
        try (var in = DaemonSystemdScopeProcessTest.class.getResourceAsStream("ssh-session.sh")) {
            Files.write(script, in.readAllBytes());
        }
        return super.start("unshare", "-m", "sh", script.toString(), session().toString());
    }

    @Override
    @AfterEach
    public void endDaemon() throws Exception {
        super.endDaemon();
        for (var pid : Files.readAllLines(session().resolve("pids")).reversed()) {
            var process = ProcessHandle.of(Long.parseLong(pid));
            process.ifPresent(ProcessHandle::destroy);
            await().atMost(SOON)
                    .until(() -> process.filter(ProcessHandle::isAlive).isEmpty());
        }
        var groups = unified()
                .resolve(Path.of(Files.readString(session().resolve("cgroup")).strip())
                        .getFileName());
        try (var all = Files.walk(groups)) {
            for (var group : all.filter(Files::isDirectory)
                    .sorted(Comparator.reverseOrder())
                    .toList()) Files.delete(group);
        }
    }

    /** Where this machine itself has the groups that the session saw elsewhere. */
    private static Path unified() throws IOException {
        for (var line : Files.readAllLines(Path.of("/proc/self/mountinfo"))) {
            if (line.contains(" - cgroup2 ")) return Path.of(line.split(" ", 6)[4]);
        }
        throw new IOException("this machine has no cgroup v2");
    }

    @Test
    void a_run_has_a_cgroup_and_no_process_escapes_its_end_even_if_the_daemon_was_killed() throws Exception {
        var run = sh(HIDES);
        var file = scratch.resolve("hidden");
        await().atMost(SOON)
                .until(() -> Files.exists(file) && Files.readString(file).endsWith("\n"));
        long hidden = Long.parseLong(Files.readString(file).strip());
        assertThat(Files.readString(Path.of("/proc/" + hidden + "/cgroup")))
                .containsPattern("/roost-\\d+-\\d+\\.scope/roost/" + run + "-1");
        assertThat(call("doctor", operator()).toString()).contains("certain, by cgroups in");

        kill9();
        daemon = start();
        assertThat(status(run)).isEqualTo("running");
        call("stop", operator().put("run_id", run));
        assertThat(alive(hidden)).isFalse();
    }
}
