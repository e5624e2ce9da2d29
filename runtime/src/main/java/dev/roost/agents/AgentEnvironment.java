package dev.roost.agents;

import dev.roost.base.ErrorCode;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** An agent's environment: the caller's, without the variables that belong to the caller or to its machine. */
public final class AgentEnvironment {

    private static final int MOST_BYTES = 1 << 20;

    private static final Set<String> PARENTS_OWN = words("""
            CLAUDECODE CLAUDE_CODE_SESSION_ID CLAUDE_CODE_ENTRYPOINT CLAUDE_CODE_MESSAGING_SOCKET
            CLAUDE_CODE_MESSAGING_TOKEN CLAUDE_CODE_SSE_PORT CLAUDE_PROJECT_DIR OPENCODE OPENCODE_PID CODEX_THREAD_ID
            CODEX_SANDBOX CODEX_SANDBOX_NETWORK_DISABLED GEMINI_CLI SHLVL OLDPWD PWD _
            """);

    /** Variables that describe a machine and are wrong on another one. */
    private static final Set<String> MACHINES_OWN = words("""
            PATH HOME USER LOGNAME SHELL TMPDIR TMP TEMP HOSTNAME MAIL DISPLAY WAYLAND_DISPLAY
            DBUS_SESSION_BUS_ADDRESS SSH_AUTH_SOCK SSH_AGENT_PID SSH_CLIENT SSH_CONNECTION SSH_TTY TMUX TMUX_PANE STY
            JAVA_HOME VIRTUAL_ENV DOCKER_HOST LD_LIBRARY_PATH XAUTHORITY CODEX_HOME CLAUDE_CONFIG_DIR
            CLAUDE_CODE_TMPDIR GEMINI_CLI_HOME OPENCODE_CONFIG OPENCODE_CONFIG_DIR
            """);

    private AgentEnvironment() {}

    private static Set<String> words(String text) {
        return Set.of(text.strip().split("\\s+"));
    }

    /** The caller's environment for another machine, with that machine's values of the machine-specific variables. */
    public static Map<String, String> forOtherMachine(Map<String, String> callers, Map<String, String> machines) {
        var environment = new TreeMap<>(callers);
        environment.keySet().removeIf(AgentEnvironment::isMachinesOwn);
        machines.forEach((name, value) -> {
            if (isMachinesOwn(name)) environment.put(name, value);
        });
        return environment;
    }

    private static boolean isMachinesOwn(String name) {
        return MACHINES_OWN.contains(name) || name.startsWith("XDG_");
    }

    public static Map<String, String> filtered(Map<String, String> given) {
        var kept = new TreeMap<String, String>();
        long size = 0;
        for (var variable : given.entrySet()) {
            String name = variable.getKey();
            String value = variable.getValue();
            if (PARENTS_OWN.contains(name) || name.startsWith("ROOST_")) continue;
            if (name.isEmpty() || (name + value).indexOf('\0') >= 0 || name.indexOf('=') >= 0) {
                throw ErrorCode.BAD_ENVIRONMENT.error("A variable of the environment has an impossible name or value.");
            }
            size += name.length() + value.length() + 2L;
            kept.put(name, value);
        }
        if (size > MOST_BYTES) {
            throw ErrorCode.ENVIRONMENT_TOO_LARGE.error(
                    "The environment is %,d bytes long; at most %,d are taken.".formatted(size, MOST_BYTES));
        }
        return kept;
    }
}
