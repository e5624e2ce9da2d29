package dev.roost.git;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** The exit code and output of a program. The output has one char per byte. */
public record GitReply(int exit, String out, String err) {

    public static final int LATE = -1;
    static final int NOT_FOUND = -2;

    public boolean ok() {
        return exit == 0;
    }

    /** The output as text, without a trailing newline. */
    public String line() {
        var text = new String(out.getBytes(StandardCharsets.ISO_8859_1), StandardCharsets.UTF_8);
        return text.endsWith("\n") ? text.substring(0, text.length() - 1) : text;
    }

    /** The line, if the program succeeded. */
    public Optional<String> answer() {
        return ok() ? Optional.of(line()) : Optional.empty();
    }

    public List<String> lines() {
        return pieces(out, '\n');
    }

    /** The NUL-terminated fields of the output. */
    public List<String> fields() {
        return pieces(out, '\0');
    }

    public static List<String> pieces(String text, char end) {
        var pieces = new ArrayList<String>();
        int from = 0;
        for (int to = text.indexOf(end); to >= 0; to = text.indexOf(end, from)) {
            pieces.add(text.substring(from, to));
            from = to + 1;
        }
        if (from < text.length()) pieces.add(text.substring(from));
        return pieces;
    }

    /** Whether another process holds a lock file. A ref with an unexpected value is a different error. */
    boolean isLockedOut() {
        return !ok()
                && ((err.contains(".lock'") && err.contains("File exists"))
                        || err.contains("could not lock config file"));
    }

    public String errorText() {
        var text = err.isBlank() ? "exit " + exit : err.strip();
        return text.length() > 500 ? text.substring(0, 500) + "…" : text;
    }
}
