package dev.roost.cli.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** What is piped in; a terminal has nothing to pipe. */
public final class StandardInput {

    private static final int MOST_BYTES = 4 << 20; // the daemon refuses less, with a better sentence

    private StandardInput() {}

    public static String read(String nothing, String hint) {
        if (Style.TERMINAL_INPUT) throw new CliError(CliError.USAGE, "usage", nothing, hint);
        try {
            return new String(System.in.readNBytes(MOST_BYTES), StandardCharsets.UTF_8);
        } catch (IOException e) {
            throw new CliError(
                    CliError.USAGE, "usage", "Standard input cannot be read: %s.".formatted(e.getMessage()), "");
        }
    }
}
