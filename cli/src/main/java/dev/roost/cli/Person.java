package dev.roost.cli;

import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** Whether a person types, or an agent does: some things only a person may say. */
final class Person {

    private static final List<String> OF_AGENTS = List.of(
            "ROOST_RUN_ID",
            "ROOST_OWNER",
            "CLAUDECODE",
            "CLAUDE_CODE_SESSION_ID",
            "CLAUDE_CODE_ENTRYPOINT",
            "OPENCODE",
            "OPENCODE_PID",
            "CODEX_THREAD_ID",
            "CODEX_SANDBOX",
            "GEMINI_CLI");

    private Person() {}

    /** Agents' shells are known by the variables that they are given. */
    static boolean types(Map<String, String> environment) {
        return OF_AGENTS.stream()
                .noneMatch(name -> !environment.getOrDefault(name, "").isEmpty());
    }

    /** For a program that is to be nobody's. */
    static void forget(Map<String, String> environment) {
        environment.keySet().removeAll(OF_AGENTS);
    }

    /** Says where a request comes from, so that the daemon can tell too. */
    static ObjectNode origin(Invocation invocation, ObjectNode params) {
        if (!types(invocation.environment())) params.put("harness", true);
        invocation.variable("ROOST_RUN_ID").ifPresent(run -> params.put("inside", run));
        return params.put("pid", ProcessHandle.current().pid());
    }
}
