package dev.roost.daemon.delivery;

import dev.roost.model.OwnerSession;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/** The command line by which a harness continues one of its sessions without a user, with a prompt on its input. */
record ResumeCommandLine(List<String> words) {

    private static final Pattern SESSION = Pattern.compile("[A-Za-z0-9_][A-Za-z0-9_-]{3,127}");

    /** The tools that read runs. They are allowed in advance, because there is no user to ask. */
    private static final String READING_TOOLS = "mcp__roost__agent_output,mcp__roost__agent_list,"
            + "mcp__plugin_roost_roost__agent_output,mcp__plugin_roost_roost__agent_list";

    /** Empty if the owner is no session, or its harness cannot continue one without a user. */
    static Optional<ResumeCommandLine> of(OwnerSession session) {
        var id = session.owner().id();
        var sessionId = id.substring(id.indexOf(':') + 1);
        if (!SESSION.matcher(sessionId).matches()) return Optional.empty();
        return switch (session.harness()) {
            case "claude-code" -> words("claude", "-p", "--resume", sessionId, "--allowedTools", READING_TOOLS);
            case "codex" -> words("codex", "exec", "--skip-git-repo-check", "resume", sessionId, "-");
            case "opencode" -> words("opencode", "run", "--session", sessionId);
            default -> Optional.empty(); // Gemini hides its key from its hooks and servers
        };
    }

    private static Optional<ResumeCommandLine> words(String... words) {
        return Optional.of(new ResumeCommandLine(List.of(words)));
    }

    String program() {
        return words.getFirst();
    }
}
