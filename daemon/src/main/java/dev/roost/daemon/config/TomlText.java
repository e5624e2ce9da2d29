package dev.roost.daemon.config;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.charset.CharacterCodingException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * Reads a TOML file, with limits that protect the parser. Its time grows with the third power of the number of consecutive
 * lines without a setting: two thousand empty lines would block the daemon for minutes.
 */
final class TomlText {

    static final int MOST_BYTES = 256 * 1024;
    private static final int MOST_LINES = 5_000;
    private static final int MOST_IN_A_ROW = 250;

    private TomlText() {}

    static String read(SettingsTable.Source source, Path file) throws IOException {
        try (var in = Files.newInputStream(file)) {
            var bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES)
                throw source.wrong("%s is longer than %d KiB.".formatted(file, MOST_BYTES / 1024), "Shorten it.");
            return StandardCharsets.UTF_8
                    .newDecoder()
                    .decode(ByteBuffer.wrap(bytes))
                    .toString();
        } catch (CharacterCodingException e) {
            throw source.wrong("%s is not UTF-8 text.".formatted(file), "Save it as UTF-8.");
        }
    }

    /** Refuses a text that would take too long to parse. */
    static String checkNesting(SettingsTable.Source source, String text) {
        int line = 0;
        int row = 0;
        for (var one : text.split("\r\n|[\r\n]", -1)) {
            var words = one.strip();
            row = words.isEmpty() || words.startsWith("#") ? row + 1 : 0;
            if (++line > MOST_LINES)
                throw source.wrong(
                        "%s has more than %,d lines.".formatted(source.name(), MOST_LINES),
                        "Shorten it at line %d.".formatted(line));
            if (row > MOST_IN_A_ROW)
                throw source.wrong(
                        "%s has more than %d lines in a row without a setting.".formatted(source.name(), MOST_IN_A_ROW),
                        "Shorten it at line %d.".formatted(line));
        }
        return text;
    }
}
