package dev.roost.rescue;

import dev.roost.base.TextFormat;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;
import tools.jackson.databind.JsonNode;

/**
 * An agent, session or command that another tool started, and whose end never reached the session that asked for it.
 *
 * @param id the id that the tool uses
 * @param owner the tool's id of the session that asked for it; its own id if there is none
 * @param session the session id with which the tool can resume it
 * @param cwd its working directory
 * @param text its last text; its answer if it finished
 * @param doing the tool call that was in progress
 * @param why the reason why it counts as lost or as at work
 * @param source the file with the evidence
 */
public record LostAgent(
        Tool tool,
        Kind kind,
        String id,
        String owner,
        Optional<String> session,
        String title,
        Optional<Path> cwd,
        Instant began,
        Instant lastSign,
        State state,
        String text,
        Optional<String> doing,
        String why,
        Path source) {

    public enum Tool {
        CLAUDE,
        OPENCODE,
        CODEX,
        GEMINI
    }

    public enum Kind {
        /** An agent that another agent started. */
        AGENT,
        /** A conversation that a person or a program started. */
        SESSION,
        /** A background command. */
        SHELL
    }

    public enum State {
        /** It finished, and its owner did not receive the answer. */
        FINISHED,
        /** It was interrupted. */
        CUT,
        /** Not lost: its process runs, or it wrote something within the last minute. */
        AT_WORK
    }

    /** Describes a tool call in a few words. */
    static String call(String name, JsonNode arguments) {
        for (var field : List.of("command", "cmd", "file_path", "path", "description", "prompt")) {
            var value = arguments.path(field).asString("");
            if (!value.isBlank()) return TextFormat.printable("%s: %s".formatted(name, value.strip()));
        }
        return TextFormat.printable(name);
    }

    /** A key that changes when more becomes known about this agent. */
    public String key() {
        try {
            var sha = MessageDigest.getInstance("SHA-256");
            sha.update("%s\n%s\n%s\n%d\n"
                    .formatted(id, owner, state, lastSign.toEpochMilli())
                    .getBytes(StandardCharsets.UTF_8));
            sha.update(text.getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(sha.digest(), 0, 8);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }

    LostAgent atWork(String why) {
        return new LostAgent(
                tool, kind, id, owner, session, title, cwd, began, lastSign, State.AT_WORK, text, doing, why, source);
    }
}
