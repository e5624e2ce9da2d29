package dev.roost.cli.client;

import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** Whether a person types, or an agent does: some things only a person may say. */
public final class InteractiveUser {

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

    private InteractiveUser() {}

    /** Agents' shells are known by the variables that they are given. */
    public static boolean isTyping(Map<String, String> environment) {
        return OF_AGENTS.stream()
                .noneMatch(name -> !environment.getOrDefault(name, "").isEmpty());
    }

    /** For a program that is to be nobody's. */
    public static void forget(Map<String, String> environment) {
        environment.keySet().removeAll(OF_AGENTS);
    }

    /** Says where a request comes from, so that the daemon can tell too. */
    public static ObjectNode origin(Invocation invocation, ObjectNode params) {
        if (!isTyping(invocation.environment())) params.put("harness", true);
        invocation.variable("ROOST_RUN_ID").ifPresent(run -> params.put("inside", run));
        return params.put("pid", ProcessHandle.current().pid());
    }
}
