package dev.roost.cli.client;

import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * As whom the command acts: inside a run as that run's owner, inside a harness as that session, in a plain shell as its user, who
 * is also the operator. A person in a harness's shell says so with {@code ROOST_OPERATOR=1}.
 */
public record CallerIdentity(String owner, boolean operator) {

    /**
     * How harnesses tell their shells which session they belong to. A harness that was started from another's shell has both,
     * and which is the inner one the variables do not say: the first counts, in the order in which the daemon tells harnesses
     * apart (BridgeClient), so that a command and a tool are of the same session.
     */
    private static final List<SessionVariable> SESSIONS = List.of(
            new SessionVariable("GEMINI_SESSION_ID", "gemini:"),
            new SessionVariable("CLAUDE_CODE_SESSION_ID", "claude:"),
            new SessionVariable("CODEX_THREAD_ID", "codex:"));

    private record SessionVariable(String variable, String prefix) {}

    public static CallerIdentity of(Map<String, String> environment, String user) {
        var person = new CallerIdentity("cli:" + user, true);
        if (given(environment, "ROOST_OPERATOR").equals(Optional.of("1"))) return person;
        return given(environment, "ROOST_OWNER")
                .or(() -> SESSIONS.stream()
                        .flatMap(
                                session -> given(environment, session.variable).map(id -> session.prefix + id).stream())
                        .findFirst())
                .map(owner -> new CallerIdentity(owner, false))
                .orElse(person);
    }

    private static Optional<String> given(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
    }
}
