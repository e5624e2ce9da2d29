package dev.roost.cli.admin;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.testing.CliFixture;
import java.nio.file.Files;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Prune, backup, restore and doctor. */
class LedgerMaintenanceProcessTest extends CliFixture {

    @Test
    void prune_removes_only_old_and_read_runs() throws Exception {
        var read = start("echo old news");
        roost("output", "--block", read).ok();
        awaitRead(read);
        var unread = roost("run", "--owner", "claude:other", "--", "echo", "unread")
                .ok()
                .out()
                .strip();
        roost("output", "--block", unread).ok();
        var live = start("sleep 1000");
        awaitProcess(live);

        assertThat(roost("prune").ok().out()).contains("Removed 0 runs");
        assertThat(roost("prune", "--older-than", "1ms", "--dry-run").ok().out())
                .contains(read)
                .contains("Would remove 1");
        assertThat(roost("prune", "--older-than", "1ms").ok().out()).contains("Removed 1 run ");

        assertThat(roost("show", read).exit()).isEqualTo(3);
        assertThat(home.resolve("runs/" + read)).doesNotExist();
        assertThat(roost("show", unread).ok().out()).contains("completed");
        assertThat(roost("show", live).ok().out()).contains("running");

        assertThat(roost("prune", "--max-size", "1KB", "--unread").ok().out()).contains("Removed");
        assertThat(roost("show", live).ok().out()).contains("running");
        assertThat(roost("prune", "--max-size", "lots").exit()).isEqualTo(2);
        assertThat(coldWith("", Map.of("ROOST_OWNER", "claude:other"), "prune").exit())
                .isEqualTo(5);
    }

    @Test
    void a_backup_made_during_live_runs_restores_them() throws Exception {
        var early = start("echo early");
        roost("output", "--block", early).ok();
        var live = start("while [ ! -e \"$SCRATCH/go\" ]; do sleep 0.05; done; echo done");
        awaitProcess(live);
        var copy = scratch.resolve("copy.db");
        roost("daemon", "backup", copy.toString()).ok();
        var late = start("echo late");
        roost("output", "--block", late).ok();

        assertThat(roost("daemon", "restore", copy.toString()).ok().out()).contains("before-restore");

        assertThat(roost("output", early).ok().out()).isEqualTo("early\n");
        assertThat(roost("show", live).ok().out()).contains("running");
        assertThat(roost("show", late).exit()).as("started after the backup").isEqualTo(3);
        assertThat(home.resolve("runs/" + late + "/1/result.md"))
                .as("but its files are kept")
                .hasContent("late");
        touch("go");
        assertThat(roost("output", "--block", live).ok().out()).isEqualTo("done\n");
    }

    @Test
    void a_backup_overwrites_no_file_of_the_home_and_is_written_atomically() throws Exception {
        var run = start("echo precious");
        roost("output", "--block", run).ok();
        for (var own : new String[] {"roost.db", "roost.db-wal", "daemon.lock", "runs/" + run + "/output.md"}) {
            assertThat(roost("daemon", "backup", home.resolve(own).toString()).exit())
                    .as(own)
                    .isEqualTo(2);
        }
        var copy = scratch.resolve("copy.db");
        roost("daemon", "backup", copy.toString()).ok();
        roost("daemon", "backup", copy.toString()).ok();
        assertThat(PosixFilePermissions.toString(Files.getPosixFilePermissions(copy)))
                .isEqualTo("rw-------");
        assertThat(scratch.resolve("copy.db.partial")).doesNotExist();
        Files.createDirectory(scratch.resolve("directory"));
        assertThat(roost("daemon", "backup", scratch.resolve("directory").toString())
                        .exit())
                .isEqualTo(1);

        roost("daemon", "stop").ok();
        assertThat(roost("output", run).ok().out()).isEqualTo("precious\n");
    }

    @Test
    void a_failed_restore_after_a_kill_of_the_daemon_keeps_every_run() throws Exception {
        var run = start("echo important");
        roost("output", "--block", run).ok();
        ProcessHandle.of(daemonPid()).orElseThrow().destroyForcibly();
        var bad = scratch.resolve("bad.db");
        Files.writeString(bad, "SQLite format 3\0, or is it?");

        assertThat(roost("daemon", "restore", bad.toString()).exit()).isEqualTo(4);

        assertThat(roost("output", run).ok().out()).isEqualTo("important\n");
    }

    @Test
    void a_failed_restore_in_a_home_without_a_ledger_leaves_no_ledger() throws Exception {
        var bad = scratch.resolve("bad.db");
        Files.writeString(bad, "SQLite format 3\0, or is it?");
        Files.createDirectories(home);
        Files.writeString(home.resolve("roost.db.before-restore"), "of another day");

        assertThat(roost("daemon", "restore", bad.toString()).exit()).isEqualTo(4);

        assertThat(home.resolve("roost.db")).doesNotExist();
        assertThat(home.resolve("roost.db.before-restore")).hasContent("of another day");
        assertThat(roost("run", "--wait", "--", "echo", "fine").ok().out()).contains("fine");
    }

    @Test
    void a_restore_can_be_undone_without_losing_commits_of_a_killed_daemon() throws Exception {
        roost("daemon", "start").ok();
        var copy = scratch.resolve("copy.db");
        roost("daemon", "backup", copy.toString()).ok();
        var late = start("echo late");
        roost("output", "--block", late).ok();
        ProcessHandle.of(daemonPid()).orElseThrow().destroyForcibly();
        roost("daemon", "restore", copy.toString()).ok();
        assertThat(roost("show", late).exit()).isEqualTo(3);

        roost("daemon", "restore", home.resolve("roost.db.before-restore").toString())
                .ok();

        assertThat(roost("output", late).ok().out()).isEqualTo("late\n");
    }

    @Test
    void a_restore_succeeds_while_other_commands_start_the_daemon() throws Exception {
        var live = start("sleep 1000");
        awaitProcess(live);
        var copy = scratch.resolve("copy.db");
        roost("daemon", "backup", copy.toString()).ok();
        var late = start("echo late");
        roost("output", "--block", late).ok();
        var followers = new ArrayList<Process>();
        for (int i = 0; i < 3; i++) followers.add(launch(Map.of(), "output", "--follow", live));

        roost("daemon", "restore", copy.toString()).ok();

        assertThat(roost("show", late).exit()).isEqualTo(3);
        var after = start("echo after");
        roost("output", "--block", after).ok();
        ProcessHandle.of(daemonPid()).orElseThrow().destroyForcibly();
        assertThat(roost("show", late).exit()).isEqualTo(3);
        assertThat(roost("output", after).ok().out()).isEqualTo("after\n");
        for (var follower : followers) follower.destroyForcibly().waitFor();
    }

    @Test
    void a_file_that_is_not_a_ledger_is_not_restored() throws Exception {
        var run = start("echo still here");
        Files.writeString(scratch.resolve("diary"), "dear diary");
        var ran = roost("daemon", "restore", scratch.resolve("diary").toString());
        assertThat(ran.exit()).isEqualTo(2);
        assertThat(roost("output", "--block", run).ok().out()).isEqualTo("still here\n");
    }

    @Test
    void the_doctor_reports_leftover_processes_and_fix_ends_them() throws Exception {
        var run = start("echo done");
        roost("output", "--block", run).ok();
        var healthy = cold("doctor").ok();
        assertThat(healthy.out()).contains("home", "disk", "ledger", "process trees", "clocks", "leftovers");

        var leftover = new ProcessBuilder("sleep", "1000");
        leftover.environment().put("ROOST_HOME", home.toString());
        leftover.environment().put("ROOST_RUN_ID", run);
        var process = leftover.start();
        Files.createDirectory(home.resolve("runs/r_stranger"));

        var ill = roost("doctor");
        assertThat(ill.exit()).isEqualTo(1);
        assertThat(ill.out()).contains("sleep 1000").contains("doctor --fix").contains("r_stranger");
        assertThat(process.isAlive()).isTrue();
        roost("doctor", "--fix").ok();
        assertThat(process.waitFor()).isNotZero();
        assertThat(roost("doctor", "--json").ok().json().path("findings").size())
                .isGreaterThan(8);
    }
}
