package dev.roost.cli.client;

import java.io.IOException;
import java.nio.charset.StandardCharsets;

/** Reads piped input; a terminal is refused. */
public final class StandardInput {

    private static final int MOST_BYTES = 4 << 20; // above the daemon's limit, so that its error is shown

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
