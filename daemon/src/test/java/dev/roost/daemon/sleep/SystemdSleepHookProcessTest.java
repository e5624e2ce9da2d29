package dev.roost.daemon.sleep;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.daemon.testing.DaemonFixture;
import java.io.IOException;
import java.net.StandardProtocolFamily;
import java.net.UnixDomainSocketAddress;
import java.nio.channels.ServerSocketChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The example for systemd-sleep, with real sockets of two users and a roost that writes down how it was called. */
class SystemdSleepHookProcessTest {

    private static final Path HOOK = Path.of("..", "integrations", "systemd", "roost-sleep");
    private static final String NOBODY = "nobody";

    @TempDir
    Path scratch;

    private final List<ServerSocketChannel> sockets = new ArrayList<>();

    @BeforeEach
    void letOthersIn() throws IOException {
        mode(scratch, "rwx--x--x");
        fake("echo \"$1 $(id -u) $(id -g) $HOME\" >>\"$ROOST_HOME/told\"");
    }

    @AfterEach
    void closeSockets() throws IOException {
        for (var socket : sockets) socket.close();
    }

    private static void mode(Path path, String mode) throws IOException {
        Files.setPosixFilePermissions(path, PosixFilePermissions.fromString(mode));
    }

    /** Excludes other daemons on this machine. */
    private void fake(String then) throws IOException {
        Files.createDirectories(scratch.resolve("bin"));
        mode(scratch.resolve("bin"), "rwxr-xr-x");
        var script =
                "#!/bin/sh\ncase $ROOST_HOME in %s/*) ;; *) exit 0 ;; esac\n%s\n".formatted(scratch.toRealPath(), then);
        mode(Files.writeString(scratch.resolve("bin/roost"), script), "rwxr-xr-x");
    }

    private Path home(String name, String owner) throws IOException {
        var home = Files.createDirectory(scratch.resolve(name));
        mode(home, "rwx------");
        var socket = ServerSocketChannel.open(StandardProtocolFamily.UNIX);
        socket.bind(UnixDomainSocketAddress.of(home.resolve("roost.sock")));
        sockets.add(socket);
        own(home.resolve("roost.sock"), owner);
        own(home, owner);
        return home;
    }

    private static void own(Path path, String owner) throws IOException {
        var user = path.getFileSystem().getUserPrincipalLookupService().lookupPrincipalByName(owner);
        Files.setOwner(path, user);
    }

    /** Its output; it must exit with 0. */
    private String hook(String... words) throws Exception {
        var command = new ArrayList<>(List.of(HOOK.toRealPath().toString()));
        command.addAll(List.of(words));
        return run(command);
    }

    private String run(List<String> command) throws Exception {
        var builder = new ProcessBuilder(command).redirectErrorStream(true);
        builder.environment().put("PATH", scratch.resolve("bin") + ":" + System.getenv("PATH"));
        builder.environment().put("ROOST_SLEEP_DEADLINE", "2");
        var process = builder.start();
        var said = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as(said).isZero();
        return said;
    }

    @Test
    void every_daemon_is_called_as_its_own_user() throws Exception {
        var roots = home("roots", "root");
        var nobodys = home("nobody's own", NOBODY);
        assertThat(hook("pre", "suspend")).isEmpty();
        assertThat(hook("post", "suspend")).isEmpty();
        assertThat(roots.resolve("told")).hasContent("pause 0 0 /root\nresume 0 0 /root\n");
        assertThat(nobodys.resolve("told"))
                .hasContent("pause 65534 65534 /nonexistent\nresume 65534 65534 /nonexistent\n");
        hook("pre-emptively");
        hook();
        assertThat(Files.readAllLines(roots.resolve("told"))).hasSize(2);
    }

    @Test
    void a_failing_or_hanging_roost_does_not_delay_the_sleep() throws Exception {
        var home = home("home", NOBODY);
        fake("exit 4");
        assertThat(hook("pre", "suspend"))
                .isEqualTo(
                        "roost-sleep: roost pause for nobody in %s ended with status 4\n".formatted(home.toRealPath()));
        fake("trap '' TERM; echo $$ >\"$ROOST_HOME/pid\"; while :; do sleep 0.1; done");
        assertThat(hook("pre", "suspend"))
                .isEqualTo("roost-sleep: roost pause for nobody in %s took longer than 2 s, and was ended\n"
                        .formatted(home.toRealPath()));
        var pid = Long.parseLong(Files.readString(home.resolve("pid")).strip());
        assertThat(DaemonFixture.alive(pid)).isFalse();
    }

    @Test
    void stale_and_suspicious_sockets_are_skipped() throws Exception {
        var open = home("open", NOBODY);
        mode(open, "rwxrwxrwx");
        var planted = home("planted", NOBODY);
        own(planted.resolve("roost.sock"), "root");
        var left = home("left", "root");
        sockets.getLast().close();
        assertThat(left.resolve("roost.sock")).exists();
        assertThat(hook("pre", "suspend")).isEmpty();
        for (var home : List.of(open, planted, left))
            assertThat(home.resolve("told")).doesNotExist();
    }

    @Test
    void a_frozen_daemon_is_not_waited_for() throws Exception {
        var home = home("home", NOBODY);
        var said = run(
                List.of("unshare", "-m", "sh", "-euc", """
                umount -R /sys/fs/cgroup
                mount -t cgroup2 cgroup2 /sys/fs/cgroup
                group=/sys/fs/cgroup/roost-test-frozen-$$
                mkdir "$group"
                sleep 1000 >/dev/null 2>&1 &
                trap 'kill -9 $!; echo 0 >"$group/cgroup.freeze"; wait $! || :; rmdir "$group"' EXIT
                echo $! >"$group/cgroup.procs"
                echo $! >"$1/daemon.lock"
                chmod 644 "$1/daemon.lock"
                echo 1 >"$group/cgroup.freeze"
                until grep -q "^frozen 1" "$group/cgroup.events"; do sleep 0.02; done
                "$0" pre suspend
                """, HOOK.toRealPath().toString(), home.toString()));
        assertThat(said)
                .contains("roost-sleep: the daemon of nobody in %s is frozen already, and was not told\n"
                        .formatted(home.toRealPath()));
        assertThat(home.resolve("told")).doesNotExist();
    }
}
