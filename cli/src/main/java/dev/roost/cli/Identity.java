package dev.roost.cli;

import java.util.Map;
import java.util.Optional;

/**
 * As whom the command acts: inside a run as that run's owner, inside a harness as that session, in a plain shell as its user, who
 * is also the operator. A person in a harness's shell says so with {@code ROOST_OPERATOR=1}.
 */
record Identity(String owner, boolean operator) {

    /** How harnesses tell their shells which session they belong to. */
    private static final Map<String, String> SESSIONS =
            Map.of("CLAUDE_CODE_SESSION_ID", "claude:", "CODEX_THREAD_ID", "codex:", "GEMINI_SESSION_ID", "gemini:");

    static Identity own() {
        return of(System.getenv(), System.getProperty("user.name"));
    }

    static Identity of(Map<String, String> environment, String user) {
        var person = new Identity("cli:" + user, true);
        if (given(environment, "ROOST_OPERATOR").equals(Optional.of("1"))) return person;
        return given(environment, "ROOST_OWNER")
                .or(() -> SESSIONS.entrySet().stream()
                        .flatMap(session ->
                                given(environment, session.getKey()).map(id -> session.getValue() + id).stream())
                        .findFirst())
                .map(owner -> new Identity(owner, false))
                .orElse(person);
    }

    private static Optional<String> given(Map<String, String> environment, String name) {
        return Optional.ofNullable(environment.get(name)).filter(value -> !value.isEmpty());
    }
}
