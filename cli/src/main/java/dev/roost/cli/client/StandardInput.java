package dev.roost.cli.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** What the user pipes or types. */
public final class StandardInput {

    private static final int MOST_BYTES = 4 << 20; // above the daemon's limit, so that its error is shown

    private StandardInput() {}

    /** Reads piped input; a terminal is refused. */
    public static String read(String nothing, String hint) {
        if (Style.TERMINAL_INPUT) throw CliErrorCode.USAGE.error(nothing, hint);
        try {
            return new String(System.in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw CliErrorCode.USAGE.error("Standard input cannot be read: %s.".formatted(e.getMessage()), "");
        }
    }

    /** Asks the user at the terminal; no answer means no. */
    public static boolean isYes(String question) {
        System.err.print(question + " [y/N] ");
        System.err.flush();
        try {
            var answer = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8)).readLine();
            return answer != null && List.of("y", "yes").contains(answer.strip().toLowerCase(Locale.ROOT));
        } catch (IOException e) {
            return false;
        }
    }
}
