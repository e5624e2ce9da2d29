package dev.roost.cli.client;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * The owner that the command acts for: in a run that run's owner, in a harness its session, in a plain shell its user. That
 * user is also the operator. {@code ROOST_OPERATOR=1} makes a person in a harness's shell the operator.
 */
public record CallerIdentity(String owner, boolean operator) {

    /**
     * The variables in which harnesses pass their session to their shells. A harness started from another's shell has both, and
     * nothing shows which is the inner one: the first wins, in the daemon's order (BridgeClient), so that a command and a tool
     * call belong to the same session.
     */
    private static final List<SessionVariable> SESSIONS = List.of(
            new SessionVariable("GEMINI_SESSION_ID", "gemini:"),
            new SessionVariable("CLAUDE_CODE_SESSION_ID", "claude:"),
            new SessionVariable("CODEX_THREAD_ID", "codex:"));

    private record SessionVariable(String variable, String prefix) {}

    public static CallerIdentity of(Map<String, String> environment, String user) {
        var person = new CallerIdentity("cli:" + user, true);
        if (nonEmpty(environment, "ROOST_OPERATOR").equals(Optional.of("1"))) return person;
        return nonEmpty(environment, "ROOST_OWNER")
                .or(() -> SESSIONS.stream()
                        .flatMap(session ->
                                nonEmpty(environment, session.variable).map(id -> session.prefix + id).stream())
                        .findFirst())
                .map(owner -> new CallerIdentity(owner, false))
                .orElse(person);
    }

    private static Optional<String> nonEmpty(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
    }
}
