package dev.roost.cli.client;

import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Collectors;

/** A command line that a person can copy into a shell. */
public final class ShellWords {

    private static final Pattern PLAIN = Pattern.compile("[A-Za-z0-9_./:=@%+,-]+");

    private ShellWords() {}

    public static String of(List<String> words) {
        return words.stream()
                .map(word -> PLAIN.matcher(word).matches() ? word : "'" + word.replace("'", "'\\''") + "'")
                .collect(Collectors.joining(" "));
    }
}
