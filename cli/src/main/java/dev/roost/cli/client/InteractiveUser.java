package dev.roost.cli.client;

import java.util.List;
import java.util.Map;
import tools.jackson.databind.node.ObjectNode;

/** Tells a person's shell from an agent's; some settings and commands are for persons only. */
public final class InteractiveUser {

    private static final List<String> AGENT_VARIABLES = List.of(
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

    /** False if the environment has a variable that harnesses set in agents' shells. */
    public static boolean isTyping(Map<String, String> environment) {
        return AGENT_VARIABLES.stream()
                .noneMatch(name -> !environment.getOrDefault(name, "").isEmpty());
    }

    /** Refuses {@code what} inside a run or a harness; names the command to run in a plain shell instead. */
    public static void require(Invocation invocation, String what, String command) {
        if (!isTyping(invocation.environment()))
            throw CliErrorCode.PERSON_REQUIRED.error(
                    "Only a person may %s, and this is inside a run or a harness.".formatted(what),
                    "Ask the user to run `%s` in a plain shell.".formatted(command));
    }

    /** Removes the agents' variables, for a program that belongs to no session. */
    public static void forget(Map<String, String> environment) {
        environment.keySet().removeAll(AGENT_VARIABLES);
    }

    /** Adds harness, run and pid of the caller, by which the daemon checks for a person too. */
    public static ObjectNode origin(Invocation invocation, ObjectNode params) {
        if (!isTyping(invocation.environment())) params.put("harness", true);
        invocation.variable("ROOST_RUN_ID").ifPresent(run -> params.put("inside", run));
        return params.put("pid", ProcessHandle.current().pid());
    }
}
