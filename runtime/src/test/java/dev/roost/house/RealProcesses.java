package dev.roost.house;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.Task;
import dev.roost.ledger.Query;
import dev.roost.ledger.Run;
import dev.roost.run.Budget;
import dev.roost.run.Caps;
import dev.roost.run.Clock;
import dev.roost.run.Owner;
import dev.roost.run.ProcessId;
import dev.roost.supervisor.Cgroups;
import dev.roost.supervisor.Exits;
import dev.roost.supervisor.Home;
import dev.roost.supervisor.ProcessTree;
import dev.roost.supervisor.Processes;
import dev.roost.supervisor.SystemClock;
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

/** A Roost in a home of its own, with real perches and real agents; none of them outlives its test. */
abstract class RealProcesses {

    static final Owner PARENT = new Owner("claude:parent");
    static final Caller AS_PARENT = new Caller(PARENT, false);
    static final Caller AS_OPERATOR = new Caller(new Owner("cli:operator"), true);
    static final Duration SOON = Duration.ofSeconds(20);

    @TempDir
    Path scratch;

    Home home;
    House house;

    Clock clock() {
        return new SystemClock();
    }

    Config config() {
        return new Config(Caps.NONE, 1, Budget.DEFAULT_MAX_OUTPUT);
    }

    Cgroups cgroups() {
        return Cgroups.open();
    }

    Exits exits() {
        return Exits.open();
    }

    @BeforeEach
    void openRoost() throws IOException {
        home = Home.open(scratch.resolve("home"));
        house = open();
    }

    House open() {
        return House.open(home, config(), clock(), cgroups(), exits());
    }

    void restart() {
        house.close();
        house = open();
    }

    @AfterEach
    void nothingIsLeft() throws IOException {
        try (var threads = Executors.newVirtualThreadPerTaskExecutor()) {
            for (var run : house.list(Query.of(Query.Which.LIVE), AS_OPERATOR)) {
                threads.execute(() -> house.stop(run, AS_OPERATOR));
            }
        }
        house.close();
        try (var all = Files.newDirectoryStream(Path.of("/proc"), "[0-9]*")) {
            for (var process : all) {
                String environment;
                try {
                    environment =
                            Files.readString(process.resolve("environ"), java.nio.charset.StandardCharsets.ISO_8859_1);
                } catch (IOException e) {
                    continue; // gone
                }
                assertThat(environment)
                        .as("%s is left over", process)
                        .doesNotContain("ROOST_HOME=" + home.root() + "\0");
            }
        }
    }

    StartRequest request(String... argv) {
        return request(Optional.empty(), argv);
    }

    StartRequest request(Optional<Duration> maxTime, String... argv) {
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

    Run start(String... argv) {
        return house.start(request(argv));
    }

    Run sh(String script) {
        return start("sh", "-c", script);
    }

    Run show(Run run) {
        return house.find(run.id().text(), AS_OPERATOR);
    }

    Run awaitEnd(Run run) {
        var output = house.output(show(run), new Output.Request(Optional.empty(), 0, Output.Until.END, SOON));
        assertThat(output.timedOut()).as("%s should have ended", run.id()).isFalse();
        return output.run();
    }

    String result(Run run) {
        return house.output(show(run), Output.Request.now()).result().orElse("");
    }

    /** Waits until the agent's processes are known. */
    Run awaitBegun(Run run) {
        if (show(run).latest().began().isEmpty()) {
            await().atMost(SOON).until(() -> show(run).latest().began().isPresent());
        }
        return show(run);
    }

    ProcessId agent(Run run) {
        return awaitBegun(run).latest().began().orElseThrow().agent();
    }

    ProcessId perch(Run run) {
        return awaitBegun(run).latest().began().orElseThrow().perch();
    }

    static void kill(ProcessId process) {
        ProcessTree.kill(process);
        await().atMost(SOON).until(() -> !Processes.alive(process));
    }

    void touch(String name) {
        try {
            Files.createFile(scratch.resolve(name));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void exec(String... words) throws IOException, InterruptedException {
        assertThat(new ProcessBuilder(words).inheritIO().start().waitFor()).isZero();
    }

    static void assertGone(ProcessId... processes) {
        for (var process : processes) await().atMost(Duration.ofSeconds(5)).until(() -> !Processes.alive(process));
    }

    Path awaitFile(String name) {
        var file = scratch.resolve(name);
        await().atMost(SOON).until(() -> Files.exists(file));
        return file;
    }
}
