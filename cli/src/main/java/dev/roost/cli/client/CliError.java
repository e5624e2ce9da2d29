package dev.roost.cli.client;

import java.io.IOException;
import java.nio.file.AccessDeniedException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.NoSuchFileException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** An error with code, message and hint, and its exit code. */
public final class CliError extends RuntimeException {

    public static final int FAILED = 1;
    public static final int USAGE = 2;
    static final int NO_SUCH_RUN = 3;
    public static final int NO_DAEMON = 4;
    public static final int REFUSED = 5;
    static final int OUTPUT_CLOSED = 141;

    private final int exit;
    private final String code;
    private final String hint;

    public CliError(int exit, String code, String message, String hint) {
        super(message);
        this.exit = exit;
        this.code = code;
        this.hint = hint;
    }

    /** From a JSON-RPC error; docs/protocol.md has the numbers. */
    static CliError of(JsonNode error) {
        int exit = switch (error.path("code").asInt()) {
            case -32001 -> NO_SUCH_RUN;
            case -32002 -> REFUSED;
            case -32003 -> FAILED;
            default -> USAGE;
        };
        return shaped(exit, error.path("data"));
    }

    public static CliError shaped(int exit, JsonNode data) {
        return new CliError(
                exit,
                data.path("code").asString("unknown"),
                data.path("message").asString("unknown"),
                data.path("hint").asString(""));
    }

    /** A bug in Roost, with the place in the code for the report. */
    public static CliError internal(Throwable e) {
        var frames = e.getStackTrace();
        return CliErrorCode.INTERNAL.error(
                "Roost made a mistake: %s.".formatted(e),
                "Please report it%s.".formatted(frames.length == 0 ? "" : " with its place, " + frames[0]));
    }

    /** Why a file cannot be used; the message of such an exception is often only the path. */
    public static String why(IOException e) {
        return switch (e) {
            case AccessDeniedException denied -> denied.getFile() + ": permission denied";
            case NoSuchFileException missing -> missing.getFile() + ": no such file or directory";
            case FileAlreadyExistsException there -> there.getFile() + " is a file";
            default -> e.getMessage() == null ? e.toString() : e.getMessage();
        };
    }

    /** The exit code of a death by SIGPIPE if the reader closed the pipe, else a failure. */
    public static CliError unwritten() {
        if (StandardOutput.brokenPipe()) return CliErrorCode.OUTPUT_CLOSED.error("");
        return CliErrorCode.OUTPUT_LOST.error("The output could not be written.");
    }

    public String code() {
        return code;
    }

    public String hint() {
        return hint;
    }

    public int exit() {
        return exit;
    }

    /** Message and hint on one line. */
    public String sentence() {
        return hint.isEmpty() ? String.valueOf(getMessage()) : getMessage() + " " + hint;
    }

    public ObjectNode shape() {
        return DaemonClient.JSON
                .createObjectNode()
                .put("code", code)
                .put("message", getMessage())
                .put("hint", hint);
    }

    public void print(boolean asJson) {
        if (exit == OUTPUT_CLOSED) return;
        if (asJson) {
            var json = DaemonClient.JSON.createObjectNode();
            json.set("error", shape());
            System.out.println(json.toPrettyString());
        } else {
            System.err.println(Style.red("roost: ") + Style.safe(String.valueOf(getMessage())));
            if (!hint.isEmpty()) System.err.println("       " + Style.safe(hint));
        }
    }
}
