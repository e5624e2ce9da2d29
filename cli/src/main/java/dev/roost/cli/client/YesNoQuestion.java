package dev.roost.cli.client;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Locale;

/** Asks the user at the terminal; no answer means no. */
public final class YesNoQuestion {

    private YesNoQuestion() {}

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
