package dev.roost.luggage;

import java.util.Map;
import java.util.Set;
import java.util.TreeMap;

/** A run's environment on another machine than the one where it was asked for. */
public final class Variables {

    /** They say where things are, or who one is, on one machine only. */
    private static final Set<String> OF_THE_MACHINE = Set.of(
            "HOME",
            "PATH",
            "USER",
            "LOGNAME",
            "SHELL",
            "HOSTNAME",
            "TMPDIR",
            "TMP",
            "TEMP",
            "CLAUDE_CONFIG_DIR",
            "CLAUDE_CODE_TMPDIR",
            "CODEX_HOME",
            "GEMINI_CLI_HOME",
            "OPENCODE_CONFIG",
            "OPENCODE_CONFIG_DIR",
            "SSH_AUTH_SOCK",
            "SSH_AGENT_PID",
            "DBUS_SESSION_BUS_ADDRESS",
            "DISPLAY",
            "WAYLAND_DISPLAY",
            "XAUTHORITY",
            "JAVA_HOME",
            "VIRTUAL_ENV",
            "DOCKER_HOST",
            "LD_LIBRARY_PATH");

    private Variables() {}

    /** Those of the machine are this machine's, or none; all others, keys and settings, are the run's. */
    public static Map<String, String> here(Map<String, String> ofTheRun, Map<String, String> ofThisMachine) {
        var all = new TreeMap<String, String>();
        ofTheRun.forEach((name, value) -> {
            if (!isOfTheMachine(name)) all.put(name, value);
        });
        ofThisMachine.forEach((name, value) -> {
            if (isOfTheMachine(name)) all.put(name, value);
        });
        return all;
    }

    private static boolean isOfTheMachine(String name) {
        return OF_THE_MACHINE.contains(name) || name.startsWith("XDG_");
    }
}
