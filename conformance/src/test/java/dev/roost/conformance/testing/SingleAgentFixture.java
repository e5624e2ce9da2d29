package dev.roost.conformance.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.Permissions;
import dev.roost.agents.Task;
import dev.roost.config.EngineConfig;
import dev.roost.config.ProjectLookup;
import dev.roost.conformance.agents.AgentCliHome;
import dev.roost.conformance.agents.ConformanceAgent;
import dev.roost.conformance.model.ScriptedModel;
import dev.roost.engine.StartRequest;
import dev.roost.home.Home;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Budget;
import dev.roost.model.Caller;
import dev.roost.model.Caps;
import dev.roost.model.Owner;
import dev.roost.model.Phase;
import dev.roost.model.ProcessId;
import dev.roost.os.Processes;
import dev.roost.os.SystemClock;
import dev.roost.output.OutputPage;
import dev.roost.process.ProcessTree;
import dev.roost.service.RoostService;
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

/** A Roost with one agent that uses a scripted model. Everything ends with its case. */
public final class SingleAgentFixture implements AutoCloseable {

    public static final Caller PERSON = new Caller(new Owner("cli:person"), true);
    static final Owner PARENT = new Owner("claude:parent");

    /** The time after which the slowest CLI gives up on a failing API. */
    static final Duration LATE = Duration.ofMinutes(6);

    public static final Duration SOON = Duration.ofSeconds(90);

    final ScriptedModel model = ScriptedModel.start();
    final AgentCliHome agentCliHome;
    private final Path directory;
    private final ConformanceAgent conformanceAgent;
    private Optional<RoostService> service = Optional.empty();
    private Permissions permissions = Permissions.ALL;
    private EngineConfig.QuestionPolicy asking = EngineConfig.DEFAULT.questionPolicy();

    public SingleAgentFixture(ConformanceAgent conformanceAgent, Path directory) throws IOException {
        this.conformanceAgent = conformanceAgent;
        this.directory = directory;
        this.agentCliHome =
                AgentCliHome.fresh(conformanceAgent.cli(), Files.createDirectories(directory.resolve("user")), model);
    }

    ConformanceAgent subject() {
        return conformanceAgent;
    }

    SingleAgentFixture with(Permissions permissions) {
        this.permissions = permissions;
        return this;
    }

    SingleAgentFixture with(EngineConfig.QuestionPolicy asking) {
        this.asking = asking;
        return this;
    }

    Path home() {
        return directory.resolve("home");
    }

    Path file(String name) {
        return agentCliHome.project().resolve(name);
    }

    static RoostService open(Path home, AgentProfile profile, EngineConfig.QuestionPolicy asking) {
        var config = new EngineConfig(Caps.NONE, 1, Budget.DEFAULT_MAX_OUTPUT)
                .with(Map.of(
                        "subject", new EngineConfig.NamedAgent(profile, Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT))))
                .with(asking);
        return RoostService.open(Home.open(home), config, ProjectLookup.NONE, new SystemClock());
    }

    RoostService service() throws Exception {
        if (service.isEmpty()) service = Optional.of(open(home(), conformanceAgent.profile(permissions), asking));
        return service.get();
    }

    static StartRequest request(AgentCliHome agentCliHome, String prompt, Budget budget) {
        return new StartRequest(
                PARENT,
                "subject",
                new Task(List.of(), Optional.of(prompt)),
                Optional.empty(),
                Optional.empty(),
                agentCliHome.project(),
                agentCliHome.environment(),
                "022",
                budget,
                Optional.empty(),
                StartRequest.Origin.UNKNOWN);
    }

    RunRecord start(String prompt) throws Exception {
        return start(prompt, Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT));
    }

    RunRecord start(String prompt, Budget budget) throws Exception {
        return service().start(request(agentCliHome, prompt, budget));
    }

    RunRecord show(RunRecord run) throws Exception {
        return service().find(run.id().text(), PERSON);
    }

    RunRecord end(RunRecord run, Duration patience) throws Exception {
        var output = service()
                .output(show(run), new OutputPage.Request(Optional.empty(), 0, OutputPage.WaitMode.END, patience));
        assertThat(output.timedOut())
                .as("%s should have ended: %s", run.id(), output)
                .isFalse();
        return output.run();
    }

    RunRecord end(RunRecord run) throws Exception {
        return end(run, SOON);
    }

    String result(RunRecord run) throws Exception {
        return service().output(show(run), OutputPage.Request.now()).result().orElse("");
    }

    /** The output that a person would see. */
    String text(RunRecord run) throws Exception {
        return Files.readString(service().outputFile(run));
    }

    RunRecord awaitPhase(RunRecord run, Phase phase, Duration patience) throws Exception {
        await().atMost(patience)
                .pollInterval(Duration.ofMillis(50))
                .until(() -> show(run).latest().phase().equals(Optional.of(phase))
                        || show(run).status().ended());
        assertThat(show(run).latest().phase()).as(() -> describe(run)).contains(phase);
        return show(run);
    }

    String describe(RunRecord run) {
        try {
            return show(run) + "\n" + text(run);
        } catch (Exception e) {
            return e.toString();
        }
    }

    /** Gemini over ACP forgets a conversation that is resumed within a minute of its start. */
    void awaitResumable(RunRecord run) throws Exception {
        if (conformanceAgent != ConformanceAgent.GEMINI_OVER_ACP) return;
        var minute = show(run).latest().startedAt().orElseThrow().truncatedTo(ChronoUnit.MINUTES);
        await().atMost(SOON).until(() -> Instant.now().isAfter(minute.plusSeconds(65)));
    }

    /** A step that calls the shell tool, which writes its pid to a file and works for a minute; a second call does nothing. */
    static String longTool(String name) {
        return "bash?cmd=sh%20-c%20'if%20[%20!%20-e%20" + name + "%20];then%20echo%20$$%20>%20" + name
                + ";sleep%2061;fi'";
    }

    /** The tool's process, once it works. */
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

    public static boolean lives(long pid) {
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
        if (service.isPresent()) {
            for (var run : service.get().list(RunQuery.of(RunQuery.StatusFilter.LIVE), PERSON))
                service.get().stop(run, PERSON);
            service.get().close();
        }
        model.close();
    }
}
