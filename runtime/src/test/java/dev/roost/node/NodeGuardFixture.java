package dev.roost.node;

import static org.awaitility.Awaitility.await;

import dev.roost.home.AttemptDirectory;
import dev.roost.home.Home;
import dev.roost.home.PrivateFiles;
import dev.roost.model.ProcessId;
import dev.roost.model.RunId;
import dev.roost.os.MachineLimits;
import dev.roost.os.Processes;
import dev.roost.process.Cgroups;
import dev.roost.process.ProcessTree;
import dev.roost.process.Script;
import dev.roost.testing.StubDaemonProcess;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** A home, daemons that die, and their guards and agents; no process outlives its test. */
abstract class NodeGuardFixture {

    static final Duration SOON = Duration.ofSeconds(30);
    static final int PROCESSES = 4;

    @TempDir
    Path directory;

    final RunId run = RunId.create(Instant.now()); // unique among tests that run at the same time
    final List<StubDaemonProcess> daemons = new ArrayList<>();
    Path root;
    Home home;

    abstract String grouping();

    @BeforeEach
    void createDirectories() throws IOException {
        root = directory.resolve("home");
        home = new Home(root);
        Files.createDirectory(directory.resolve("scratch"));
    }

    @AfterEach
    void killProcesses() throws Exception {
        for (var daemon : daemons) daemon.kill();
        var group = Cgroups.open().create("guard-" + Script.fingerprint(root.toString()));
        guards().forEach(ProcessTree::kill);
        await().atMost(SOON).until(() -> guards().isEmpty());
        if (group.isPresent())
            await().atMost(SOON).until(() -> {
                group.get().remove();
                return !group.get().exists();
            });
        await().atMost(SOON)
                .until(
                        () -> { // a shell survives its killed children and must be killed itself
                            var carriers = MachineLimits.findByCookie("ROOST_HOME=" + root);
                            for (var carrier : carriers) ProcessTree.kill(carrier.id());
                            return carriers.isEmpty();
                        });
        if (Files.exists(pidFile()))
            await().atMost(SOON)
                    .until(() -> pids().stream().peek(ProcessTree::kill).noneMatch(Processes::alive));
    }

    StubDaemonProcess daemon(Duration grace) throws IOException {
        var daemon = StubDaemonProcess.start(root, grace, grouping());
        daemons.add(daemon);
        return daemon;
    }

    private Path pidFile() {
        return directory.resolve("scratch/pids");
    }

    /** The agent and its children, once all have started. */
    List<ProcessId> agents() {
        await().atMost(SOON)
                .until(() ->
                        Files.exists(pidFile()) && Files.readAllLines(pidFile()).size() == PROCESSES);
        return pids();
    }

    private List<ProcessId> pids() {
        try {
            return Files.readAllLines(pidFile()).stream()
                    .flatMap(line -> Processes.row(Long.parseLong(line)).stream())
                    .map(Processes.Row::id)
                    .toList();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    /** The guard shells of this home. */
    List<ProcessId> guards() {
        return Processes.all().stream()
                .filter(row -> row.session() == row.id().pid()) // not their children
                .filter(row -> Processes.commandLine(row.id().pid()).contains("/guard-")
                        && Processes.commandLine(row.id().pid()).contains("\0" + root + "\0"))
                .map(Processes.Row::id)
                .toList();
    }

    /** The Java processes that the guards run to kill agents. */
    List<ProcessId> guardJvms() {
        return Processes.all().stream()
                .map(Processes.Row::id)
                .filter(id ->
                        Processes.commandLine(id.pid()).endsWith(NodeGuardMain.class.getName() + "\0" + root + "\0"))
                .filter(id -> Processes.isJava(id.pid()))
                .toList();
    }

    AttemptDirectory attempt(RunId run) {
        return home.run(run).attempt(1);
    }

    String log() throws IOException {
        return PrivateFiles.tail(home.logs().resolve("guard.log"), 10_000);
    }

    void awaitEnd(List<ProcessId> processes) {
        await().atMost(SOON).until(() -> processes.stream().noneMatch(Processes::alive));
    }
}
