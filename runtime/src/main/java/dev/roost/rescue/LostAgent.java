package dev.roost.rescue;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.time.Instant;
import java.util.HexFormat;
import java.util.Optional;

/**
 * Something another tool started and then said no more about to whoever asked for it.
 *
 * @param id what the tool calls it
 * @param owner the session that asked for it, or itself where nobody did, as the tool calls it
 * @param session by which its own program can go on with it
 * @param cwd where it worked
 * @param text what it said last: its answer if it finished
 * @param doing what it was in the middle of
 * @param why how we know
 * @param source the file that says so
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
        /** A command in the background. */
        SHELL
    }

    public enum State {
        /** It said its last word; nobody heard it. */
        FINISHED,
        /** It stops in the middle. */
        CUT,
        /** Not lost: its program is there, or it said something just now. */
        AT_WORK
    }

    /** The same for as long as nothing more becomes known of it. */
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
