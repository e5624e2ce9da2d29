package dev.roost.cli.service;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.testing.CliFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** {@code daemon install} and {@code uninstall}, with a systemctl that records its calls. */
class ServiceInstallProcessTest extends CliFixture {

    private Path unit;

    @BeforeEach
    void whereItGoes() {
        unit = scratch.resolve("config/systemd/user/roost.service");
    }

    private Ran install(String... more) {
        return with("install", more);
    }

    private Ran with(String command, String... more) {
        var words = new java.util.ArrayList<>(java.util.List.of("daemon", command));
        words.addAll(java.util.List.of(more));
        String path = scratch.resolve("bin") + ":/nowhere";
        return coldWith("", Map.of("PATH", path), words.toArray(String[]::new));
    }

    /** A systemctl that exits with 1 for {@code words}, else with 0. */
    private void systemctlThatRefuses(String words) throws IOException {
        var script = """
                #!/bin/sh
                echo "$*" >>'%s'
                case "$*" in *"%s"*) echo 'Failed to connect to bus: No medium found' >&2; exit 1 ;; esac
                """.formatted(scratch.resolve("asked"), words);
        Files.createDirectories(scratch.resolve("bin"));
        var file = Files.writeString(scratch.resolve("bin/systemctl"), script);
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    @Test
    void install_writes_prints_and_starts_the_unit_and_stops_a_running_daemon() throws Exception {
        systemctlThatRefuses("nothing");
        var id = start("sleep 1000");
        awaitProcess(id);
        var installed = install().ok();
        assertThat(Files.readString(unit))
                .contains("ExecStart=\"" + Path.of("..", "roost").toRealPath() + "\" daemon run\n")
                .contains("Environment=\"ROOST_HOME=" + home + "\"\n")
                .contains("KillMode=process", "Restart=always", "RestartSec=1", "WantedBy=default.target");
        assertThat(installed.out()).contains("Wrote " + unit, "  KillMode=process", "loginctl enable-linger");
        assertThat(scratch.resolve("asked"))
                .hasContent("--user show-environment\n--user daemon-reload\n--user enable --now roost.service");
        assertThat(roost("daemon", "status").exit()).as("the home is free").isEqualTo(4);
        assertThat(roost("show", id, "--json").ok().json().path("status").asString())
                .isEqualTo("running");

        assertThat(with("uninstall").ok().out()).contains("Removed " + unit, "agents continue");
        assertThat(unit).doesNotExist();
        assertThat(Files.readString(scratch.resolve("asked"))).contains("disable --now roost.service");
        assertThat(with("uninstall").ok().out()).contains("Not installed");
    }

    @Test
    void install_reports_an_unreachable_systemd_and_leaves_the_daemon_alone() throws Exception {
        roost("daemon", "start").ok();
        assertThat(install().ok().out()).contains("Not started", "systemctl is not installed");
        systemctlThatRefuses("show-environment");
        assertThat(install().ok().out()).contains("Not started", "No medium found", "enable --now roost.service");
        assertThat(install("--json").ok().json().path("started").asBoolean()).isFalse();
        assertThat(unit).exists();
        roost("daemon", "status").ok();
        systemctlThatRefuses("enable");
        var refused = install();
        assertThat(refused.exit()).isEqualTo(1);
        assertThat(refused.out()).contains("did not start it");
    }

    @Test
    void print_changes_nothing() {
        assertThat(install("--print").ok().out()).startsWith("# Written by").contains("[Service]");
        assertThat(unit).doesNotExist();
    }

    @Test
    void a_foreign_file_is_kept_as_backup() throws Exception {
        Files.createDirectories(unit.getParent());
        Files.writeString(unit, "mine\n");
        assertThat(install().ok().out()).contains("kept as " + unit + ".bak");
        assertThat(Path.of(unit + ".bak")).hasContent("mine");
        assertThat(install().ok().out()).as("an identical file").doesNotContain("kept");
        Files.writeString(unit, "mine too\n");
        assertThat(with("uninstall").ok().out()).contains("kept as " + unit + ".bak2");
        assertThat(Path.of(unit + ".bak2")).hasContent("mine too");
        assertThat(Path.of(unit + ".bak")).hasContent("mine");
    }

    /** With a fake launchctl. */
    @Test
    void on_macos_the_job_has_the_installers_path_and_uninstall_stops_it() throws Exception {
        program("launchctl", "echo \"$*\" >>'%s'".formatted(scratch.resolve("asked")));
        program("id", "echo 501");
        var job = scratch.resolve("Library/LaunchAgents/dev.roost.plist");
        assertThat(onMac("install").out()).contains("Wrote " + job);
        assertThat(Files.readString(job))
                .contains("<key>PATH</key><string>%s</string>".formatted(scratch.resolve("bin") + ":/nowhere"))
                .contains("<key>ROOST_HOME</key><string>%s</string>".formatted(home));
        assertThat(onMac("uninstall").out()).contains("Removed " + job, "agents continue");
        assertThat(scratch.resolve("asked")).hasContent("bootout gui/501/dev.roost");
        assertThat(job).doesNotExist();

        program("launchctl", "echo 'Boot-out failed: 3: No such process' >&2; exit 3");
        onMac("install");
        assertThat(onMac("uninstall").out()).contains("No such process", "launchctl bootout gui/$(id -u)/dev.roost");
    }

    private Ran onMac(String command) {
        var environment = Map.of(
                "PATH",
                scratch.resolve("bin") + ":/nowhere",
                "JDK_JAVA_OPTIONS",
                "\"-Dos.name=Mac OS X\" \"-Duser.home=%s\"".formatted(scratch));
        return coldWith("", environment, "daemon", command).ok();
    }

    private void program(String name, String script) throws IOException {
        Files.createDirectories(scratch.resolve("bin"));
        var file = Files.writeString(scratch.resolve("bin").resolve(name), "#!/bin/sh\n" + script + "\n");
        assertThat(file.toFile().setExecutable(true)).isTrue();
    }

    @Test
    void special_characters_in_paths_are_escaped() {
        assertThat(unit("/opt/my $100%/roost", Optional.of(Path.of("/a b/5\"0%"))))
                .contains("ExecStart=\"/opt/my $100%%/roost\" daemon run\n")
                .contains("Environment=\"ROOST_HOME=/a b/5\\\"0%%\"\n");
        assertThat(unit("/bob's $\"x\"\\/roost", Optional.empty()))
                .contains("ExecStart=/usr/bin/env \"/bob's $$\\\"x\\\"\\\\/roost\" daemon run\n")
                .doesNotContain("Environment");
        assertThat(new LaunchdJob(
                                scratch,
                                Path.of("/a & <b>/roost"),
                                Optional.of(Path.of("/h & i")),
                                Optional.of("/p & q:/r"))
                        .text())
                .contains("<string>/a &amp; &lt;b&gt;/roost</string><string>daemon</string><string>run</string>")
                .contains(
                        "<key>PATH</key><string>/p &amp; q:/r</string><key>ROOST_HOME</key><string>/h &amp; i</string>")
                .contains("<key>AbandonProcessGroup</key><true/>");
    }

    private String unit(String launcher, Optional<Path> home) {
        return new SystemdUnit(scratch, Path.of(launcher), home).text();
    }
}
