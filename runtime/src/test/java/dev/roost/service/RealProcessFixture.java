package dev.roost.service;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.Task;
import dev.roost.base.Clock;
import dev.roost.config.EngineConfig;
import dev.roost.engine.StartRequest;
import dev.roost.home.Home;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Budget;
import dev.roost.model.Caller;
import dev.roost.model.Caps;
import dev.roost.model.Owner;
import dev.roost.model.ProcessId;
import dev.roost.os.ExitWatcher;
import dev.roost.os.Processes;
import dev.roost.os.SystemClock;
import dev.roost.output.OutputPage;
import dev.roost.process.Cgroups;
import dev.roost.process.ProcessTree;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.Executors;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.io.TempDir;

/** Opens Roost in its own home with real perches and agents, and checks after each test that no process is left. */
public abstract class RealProcessFixture {

    public static final Owner PARENT = new Owner("claude:parent");
    public static final Caller AS_PARENT = new Caller(PARENT, false);
    public static final Caller AS_OPERATOR = new Caller(new Owner("cli:operator"), true);
    public static final Duration SOON = Duration.ofSeconds(20);

    @TempDir
    public Path scratch;

    public Home home;
    public RoostService service;

    public Clock clock() {
        return new SystemClock();
    }

    public EngineConfig config() {
        return new EngineConfig(Caps.NONE, 1, Budget.DEFAULT_MAX_OUTPUT);
    }

    public Cgroups cgroups() {
        return Cgroups.open();
    }

    ExitWatcher exits() {
        return ExitWatcher.open();
    }

    @BeforeEach
    public void openRoost() throws IOException {
        home = Home.open(scratch.resolve("home"));
        service = open();
    }

    public RoostService open() {
        return RoostService.open(home, config(), clock(), cgroups(), exits());
    }

    public void restart() {
        service.close();
        service = open();
    }

    @AfterEach
    public void nothingIsLeft() throws IOException {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var run : service.list(RunQuery.of(RunQuery.StatusFilter.LIVE), AS_OPERATOR)) {
                threads.execute(() -> service.stop(run, AS_OPERATOR));
            }
        }
        service.close();
        try (var all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (var process : all) {
                String environment;
                try {
                    environment =
                            Files.readString(process.resolve("environ"), java.nio.charset.StandardCharsets.ISO_8859_1);
                } catch (IOException e) {
                    continue; // the process has ended
                }
                assertThat(environment)
                        .as("%s is a left-over process", process)
                        .doesNotContain("ROOST_HOME=" + home.root() + "\0");
            }
        }
    }

    public StartRequest request(String... argv) {
        return request(Optional.empty(), argv);
    }

    public StartRequest request(Optional<Duration> maxTime, String... argv) {
        return new StartRequest(
                PARENT,
                "command",
                new Task(List.of(argv), Optional.empty()),
                Optional.empty(),
                Optional.empty(),
                scratch,
                Map.of("PATH", System.getenv("PATH"), "SCRATCH", scratch.toString()),
                "022",
                Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT).withMaxTime(maxTime),
                Optional.empty(),
                StartRequest.Origin.UNKNOWN);
    }

    public RunRecord start(String... argv) {
        return service.start(request(argv));
    }

    public RunRecord sh(String script) {
        return start("sh", "-c", script);
    }

    public RunRecord show(RunRecord run) {
        return service.find(run.id().text(), AS_OPERATOR);
    }

    public RunRecord awaitEnd(RunRecord run) {
        var output =
                service.output(show(run), new OutputPage.Request(Optional.empty(), 0, OutputPage.WaitMode.END, SOON));
        assertThat(output.timedOut()).as("%s should have ended", run.id()).isFalse();
        return output.run();
    }

    public String result(RunRecord run) {
        return service.output(show(run), OutputPage.Request.now()).result().orElse("");
    }

    /** Waits until the ledger has the agent's processes. */
    public RunRecord awaitBegun(RunRecord run) {
        if (show(run).latest().began().isEmpty()) {
            await().atMost(SOON).until(() -> show(run).latest().began().isPresent());
        }
        return show(run);
    }

    public ProcessId agent(RunRecord run) {
        return awaitBegun(run).latest().began().orElseThrow().agent();
    }

    public ProcessId perch(RunRecord run) {
        return awaitBegun(run).latest().began().orElseThrow().perch();
    }

    public static void kill(ProcessId process) {
        ProcessTree.kill(process);
        await().atMost(SOON).until(() -> !Processes.alive(process));
    }

    public void touch(String name) {
        try {
            Files.createFile(scratch.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static void exec(String... words) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder(words).inheritIO().start().waitFor()).isZero();
    }

    public static void assertGone(ProcessId... processes) {
        for (var process : processes) await().atMost(Duration.ofSeconds(5)).until(() -> !Processes.alive(process));
    }

    public Path awaitFile(String name) {
        var file = scratch.resolve(name);
        await().atMost(SOON).until(() -> Files.exists(file));
        return file;
    }
}
