package dev.roost.daemon.mcp;

import dev.roost.daemon.api.CallerLimits;
import dev.roost.daemon.api.RequestFields;
import dev.roost.engine.StartRequest;
import dev.roost.ledger.record.SessionReport;
import dev.roost.model.Caller;
import dev.roost.model.Owner;
import dev.roost.model.OwnerSession;
import dev.roost.model.SessionEvent;
import dev.roost.service.RoostService;
import dev.roost.sessions.OwnerSessions;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.BiConsumer;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/**
 * A harness on this machine that started {@code roost mcp}; its environment, its process and its hooks identify it. Every harness
 * starts its servers in the {@code directory} of the project. {@code reported}: owners whose environment was passed on.
 */
record BridgeClient(
        RoostService service,
        String harness,
        Map<String, String> environment,
        Path directory,
        StartRequest.Origin origin,
        Optional<OwnerSession.HarnessProcess> process,
        Optional<String> bridge,
        BiConsumer<Owner, Map<String, String>> environments,
        Set<Owner> reported)
        implements ToolClient {

    static BridgeClient of(
            @Nullable JsonNode hello, RoostService service, BiConsumer<Owner, Map<String, String>> environments) {
        var requestFields = RequestFields.of(hello, "env", "cwd", "pid", "harness", "bridge", "dialect");
        var environment = requestFields.map("env");
        var pid = requestFields.number("pid");
        return new BridgeClient(
                service,
                requestFields.text("harness").orElseGet(() -> harness(environment)),
                environment,
                Optional.ofNullable(environment.get("CLAUDE_PROJECT_DIR"))
                        .filter(path -> path.indexOf('\0') < 0)
                        .map(Path::of)
                        .filter(path -> path.toFile().isDirectory())
                        .orElseGet(() -> requestFields.path("cwd")),
                new StartRequest.Origin(Optional.ofNullable(environment.get("ROOST_RUN_ID")), pid),
                pid.flatMap(OwnerSessions::harnessOf),
                requestFields.text("bridge"),
                environments,
                ConcurrentHashMap.newKeySet());
    }

    private static String harness(Map<String, String> environment) {
        if (environment.containsKey("GEMINI_CLI")) return "gemini";
        if (environment.containsKey("CLAUDE_CODE_SESSION_ID") || environment.containsKey("CLAUDECODE"))
            return "claude-code";
        if (environment.containsKey("OPENCODE") || environment.containsKey("OPENCODE_PID")) return "opencode";
        if (environment.containsKey("CODEX_THREAD_ID") || environment.containsKey("CODEX_HOME")) return "codex";
        return "mcp";
    }

    @Override
    public CallerLimits limits(Optional<String> session, String requestId) {
        return new CallerLimits(
                new Caller(owner(session), false),
                true,
                directory,
                harness,
                environment,
                origin,
                bridge.map(id -> id + ":" + requestId),
                CallerLimits.TokenTerms.NONE);
    }

    /**
     * The owner, by the first of: the session that the harness's plugin names with the call; the session whose hooks reported last
     * from the same process (after a /clear it differs from the environment's); the environment's session; the project.
     */
    private Owner owner(Optional<String> session) {
        String prefix = harness.equals("claude-code") ? "claude" : harness;
        var owner = session.map(id -> new Owner(prefix + ":" + id))
                .or(this::byProcess)
                .or(() -> Optional.ofNullable(environment.get("CLAUDE_CODE_SESSION_ID"))
                        .filter(id -> !id.isEmpty()
                                && harness.equals("claude-code")) // otherwise it belongs to an outer shell
                        .map(id -> new Owner("claude:" + id)))
                .orElseGet(() -> service.ownerIn(prefix, directory));
        if (service.sessions().find(owner).isEmpty()) {
            service.sessions()
                    .record(new SessionReport(
                            owner,
                            harness,
                            Optional.of(directory.toString()),
                            process,
                            new SessionEvent.SessionSeen()));
        }
        // a session inside a run belongs to the run, and is never continued outside of it
        if (reported.add(owner) && service.findCallingRun(origin).isEmpty()) environments.accept(owner, environment);
        return owner;
    }

    /** The session by the harness's process. In other harnesses, one process may have many sessions. */
    private Optional<Owner> byProcess() {
        if (!harness.equals("claude-code") && !harness.equals("gemini")) return Optional.empty();
        return process.flatMap(service.sessions()::findByHarness).map(OwnerSession::owner);
    }

    /** Less than the harness's own timeout, which some harnesses restart at each progress message. */
    @Override
    public Duration patience(boolean hearsProgress) {
        return switch (harness) {
            case "claude-code" -> Duration.ofHours(1);
            case "opencode" -> hearsProgress ? Duration.ofHours(1) : Duration.ofSeconds(50);
            case "gemini" -> Duration.ofMinutes(9);
            case "codex" -> Duration.ofSeconds(270);
            default -> Duration.ofSeconds(50);
        };
    }
}
