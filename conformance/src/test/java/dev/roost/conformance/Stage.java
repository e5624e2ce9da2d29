package dev.roost.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.Permissions;
import dev.roost.agents.Task;
import dev.roost.house.Caller;
import dev.roost.house.Config;
import dev.roost.house.House;
import dev.roost.house.Output;
import dev.roost.house.Projects;
import dev.roost.house.StartRequest;
import dev.roost.ledger.Query;
import dev.roost.ledger.Run;
import dev.roost.run.Budget;
import dev.roost.run.Caps;
import dev.roost.run.Owner;
import dev.roost.run.Phase;
import dev.roost.run.ProcessId;
import dev.roost.supervisor.Home;
import dev.roost.supervisor.ProcessTree;
import dev.roost.supervisor.Processes;
import dev.roost.supervisor.SystemClock;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;
import java.time.temporal.ChronoUnit;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A Roost with one agent in it, which talks to a scripted model. Nothing of it outlives its case. */
final class Stage implements AutoCloseable {

    static final Caller PERSON = new Caller(new Owner("cli:person"), true);
    static final Owner PARENT = new Owner("claude:parent");

    /** What the slowest CLI takes to give up on an API that fails. */
    static final Duration LATE = Duration.ofMinutes(6);

    static final Duration SOON = Duration.ofSeconds(90);

    final ScriptedModel model = ScriptedModel.start();
    final CliHome cliHome;
    private final Path directory;
    private final Subject subject;
    private Optional<House> house = Optional.empty();
    private Permissions permissions = Permissions.ALL;
    private Config.Asking asking = Config.DEFAULT.asking();

    Stage(Subject subject, Path directory) throws IOException {
        this.subject = subject;
        this.directory = directory;
        this.cliHome = CliHome.fresh(subject.cli(), Files.createDirectories(directory.resolve("user")), model);
    }

    Subject subject() {
        return subject;
    }

    Stage with(Permissions permissions) {
        this.permissions = permissions;
        return this;
    }

    Stage with(Config.Asking asking) {
        this.asking = asking;
        return this;
    }

    Path home() {
        return directory.resolve("home");
    }

    Path file(String name) {
        return cliHome.project().resolve(name);
    }

    static House open(Path home, dev.roost.agents.Profile profile, Config.Asking asking) {
        var config = new Config(Caps.NONE, 1, Budget.DEFAULT_MAX_OUTPUT)
                .with(Map.of("subject", new Config.NamedAgent(profile, Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT))))
                .with(asking);
        return House.open(Home.open(home), config, Projects.NONE, new SystemClock());
    }

    House house() throws Exception {
        if (house.isEmpty()) house = Optional.of(open(home(), subject.profile(permissions), asking));
        return house.get();
    }

    static StartRequest request(CliHome cliHome, String prompt, Budget budget) {
        return new StartRequest(
                PARENT,
                "subject",
                new Task(List.of(), Optional.of(prompt)),
                Optional.empty(),
                Optional.empty(),
                cliHome.project(),
                cliHome.environment(),
                "022",
                budget,
                Optional.empty(),
                StartRequest.Origin.UNKNOWN);
    }

    Run start(String prompt) throws Exception {
        return start(prompt, Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT));
    }

    Run start(String prompt, Budget budget) throws Exception {
        return house().start(request(cliHome, prompt, budget));
    }

    Run show(Run run) throws Exception {
        return house().find(run.id().text(), PERSON);
    }

    Run end(Run run, Duration patience) throws Exception {
        var output = house().output(show(run), new Output.Request(Optional.empty(), 0, Output.Until.END, patience));
        assertThat(output.timedOut())
                .as("%s should have ended: %s", run.id(), output)
                .isFalse();
        return output.run();
    }

    Run end(Run run) throws Exception {
        return end(run, SOON);
    }

    String result(Run run) throws Exception {
        return house().output(show(run), Output.Request.now()).result().orElse("");
    }

    /** All that a person would have seen. */
    String text(Run run) throws Exception {
        return Files.readString(house().outputFile(run));
    }

    Run awaitPhase(Run run, Phase phase, Duration patience) throws Exception {
        await().atMost(patience)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> show(run).latest().phase().equals(Optional.of(phase))
                        || show(run).status().ended());
        assertThat(show(run).latest().phase()).as(() -> describe(run)).contains(phase);
        return show(run);
    }

    String describe(Run run) {
        try {
            return show(run) + "\n" + text(run);
        } catch (Exception e) {
            return e.toString();
        }
    }

    /** Gemini over ACP forgets a conversation that is taken up again within the minute it began. */
    void awaitResumable(Run run) throws Exception {
        if (subject != Subject.GEMINI_OVER_ACP) return;
        var minute = show(run).latest().startedAt().orElseThrow().truncatedTo(ChronoUnit.MINUTES);
        await().atMost(SOON).until(() -> Instant.now().isAfter(minute.plusSeconds(65)));
    }

    /** A step that calls the shell tool, which notes its pid in a file and works for a minute; the second time it does nothing. */
    static String longTool(String name) {
        return "bash?cmd=sh%20-c%20'if%20[%20!%20-e%20" + name + "%20];then%20echo%20$$%20>%20" + name
                + ";sleep%2061;fi'";
    }

    /** The tool's process, once it is at work. */
    long awaitTool(String name) {
        var file = file(name);
        await().atMost(SOON)
                .until(() -> Files.exists(file) && Files.readString(file).endsWith("\n"));
        try {
            return Long.parseLong(Files.readString(file).strip());
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    static boolean lives(long pid) {
        try {
            String stat = Files.readString(Path.of("/proc/" + pid + "/stat"), StandardCharsets.ISO_8859_1);
            return stat.charAt(stat.lastIndexOf(')') + 2) != 'Z';
        } catch (IOException e) {
            return false;
        }
    }

    static void kill(ProcessId process) {
        ProcessTree.kill(process);
        await().atMost(SOON).until(() -> !Processes.alive(process));
    }

    @Override
    public void close() {
        if (house.isPresent()) {
            for (var run : house.get().list(Query.of(Query.Which.LIVE), PERSON))
                house.get().stop(run, PERSON);
            house.get().close();
        }
        model.close();
    }
}
