package dev.roost.daemon.delivery;

import dev.roost.model.OwnerSession;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The words with which a harness takes up one of its sessions, without anybody before it and with a prompt on its input. */
record ResumeCommandLine(List<String> words) {

    private static final Pattern SESSION = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_-]{3,127}");

    /** Nobody could allow it to read what it is told of, so it may. */
    private static final String READS = "mcp__roost__agent_output,mcp__roost__agent_list,"
            + "mcp__plugin_roost_roost__agent_output,mcp__plugin_roost_roost__agent_list";

    /** Empty for an owner that is no session, or whose harness knows no such words. */
    static Optional<ResumeCommandLine> of(OwnerSession parent) {
        var id = parent.owner().id();
        var session = id.substring(id.indexOf(':') + 1);
        if (!SESSION.matcher(session).matches()) return Optional.empty();
        return switch (parent.harness()) {
            case "claude-code" -> words("claude", "-p", "--resume", session, "--allowedTools", READS);
            case "codex" -> words("codex", "exec", "--skip-git-repo-check", "resume", session, "-");
            case "opencode" -> words("opencode", "run", "--session", session);
            default -> Optional.empty(); // Gemini keeps its key from those who could tell us
        };
    }

    private static Optional<ResumeCommandLine> words(String... words) {
        return Optional.of(new ResumeCommandLine(List.of(words)));
    }

    String program() {
        return words.getFirst();
    }
}
