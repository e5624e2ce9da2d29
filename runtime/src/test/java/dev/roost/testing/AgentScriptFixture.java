package dev.roost.testing;

import static org.awaitility.Awaitility.await;

import dev.roost.agents.AgentProfile;
import dev.roost.agents.Permissions;
import dev.roost.agents.Prices;
import dev.roost.agents.Task;
import dev.roost.base.Clock;
import dev.roost.config.DailyBudget;
import dev.roost.config.EngineConfig;
import dev.roost.engine.StartRequest;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Budget;
import dev.roost.model.Caps;
import dev.roost.model.Phase;
import dev.roost.service.RealProcessFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.time.Duration;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/** A Roost whose agents are shell scripts that use the protocol of Claude Code. */
public abstract class AgentScriptFixture extends RealProcessFixture {

    public static final String SPEAKS = """
            init() { echo '{"type":"system","subtype":"init","session_id":"conversation-1","model":"claude-test"}'; }
            say() { printf '{"type":"assistant","message":{"id":"%s","content":[{"type":"text","text":"%s"}],' "$1" "$1"
                    printf '"usage":{"input_tokens":100,"output_tokens":20}}}\\n'; }
            tool() { printf '{"type":"assistant","message":{"id":"m%s","content":[{"type":"tool_use","id":"%s",' "$1" "$1"
                     printf '"name":"Bash","input":{"command":"%s"}}],"usage":{"input_tokens":100,"output_tokens":20}}}\\n' "$2"; }
            asks() { printf '{"type":"control_request","request_id":"%s","request":{"subtype":"can_use_tool",' "$1"
                     printf '"tool_name":"Bash","input":{"command":"%s"},"tool_use_id":"t1"}}\\n' "$2"; }
            result() { printf '{"type":"result","subtype":"success","is_error":false,"result":"%s",' "$1"
                       printf '"usage":{"input_tokens":100,"output_tokens":20},"model_usage_since_last_result":{}}\\n'; }
            limited() { printf '{"type":"rate_limit_event","rate_limit_info":{"status":"rejected","resetsAt":%s}}\\n' "$1"
                        printf '{"type":"result","subtype":"success","is_error":true,"api_error_status":429,"result":"limit"}\\n'; }
            until_there() { while [ ! -e "$SCRATCH/$1" ]; do sleep 0.05; done; }
            read -r prompt
            """;

    public final OffsetClock time = new OffsetClock();
    private final Map<String, String> scripts = new HashMap<>();
    public Duration quietAfter = Duration.ofMinutes(10);
    public Optional<Duration> maxQuiet = Optional.empty();
    public DailyBudget day = DailyBudget.NONE;

    @Override
    public Clock clock() {
        return time;
    }

    @Override
    public EngineConfig config() {
        var agents = new HashMap<String, EngineConfig.NamedAgent>();
        scripts.forEach((name, script) -> agents.put(
                name,
                new EngineConfig.NamedAgent(
                        new AgentProfile(
                                name,
                                "claude",
                                List.of("sh", "-c", SPEAKS + script, "agent"),
                                Optional.empty(),
                                List.of(),
                                Permissions.SAFE,
                                Optional.empty(),
                                Map.of()),
                        Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT))));
        return new EngineConfig(Caps.NONE, 1, Budget.DEFAULT_MAX_OUTPUT)
                .with(agents)
                .withQuiet(quietAfter, maxQuiet)
                .with(day)
                .with(new Prices(Map.of("claude-test", new Prices.Price(10, 1, 50))));
    }

    public RunRecord agent(String script) {
        return agent(script, Budget.ofOutput(Budget.DEFAULT_MAX_OUTPUT));
    }

    /** Sets the script of the agent "scripted". */
    public void agents(String script) {
        scripts.put("scripted", script);
        restart();
    }

    public RunRecord agent(String script, Budget budget) {
        agents(script);
        return service.start(new StartRequest(
                PARENT,
                "scripted",
                new Task(List.of(), Optional.of("do it")),
                Optional.empty(),
                Optional.empty(),
                scratch,
                Map.of("PATH", System.getenv("PATH"), "SCRATCH", scratch.toString()),
                "022",
                budget,
                Optional.empty(),
                StartRequest.Origin.UNKNOWN));
    }

    public static Budget budget(Optional<Long> tokens, Optional<Long> micros, Optional<Integer> turns) {
        return new Budget(Optional.empty(), tokens, micros, turns, Budget.DEFAULT_MAX_OUTPUT);
    }

    public RunRecord awaitPhase(RunRecord run, Phase phase) {
        await().atMost(SOON).until(() -> show(run).latest().phase().equals(Optional.of(phase)));
        return show(run);
    }

    public String text(RunRecord run) throws IOException {
        return Files.readString(home.run(run.id()).output());
    }

    /** Changes the ledger's tables directly. */
    public void ledger(String sql) {
        try (var connection = DriverManager.getConnection("jdbc:sqlite:" + home.ledger());
                var statement = connection.createStatement()) {
            statement.executeUpdate(sql);
        } catch (SQLException e) {
            throw new IllegalStateException(e);
        }
    }
}
