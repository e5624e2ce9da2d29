package dev.roost.cli.install;

import java.nio.file.Path;
import java.util.Optional;

/** Roost's entries in one file of a harness: adds and removes them as pure functions on the text. */
sealed interface HarnessFileEdit permits JsonFileEdit, TomlFileEdit, HarnessFileEdit.FileCopy {

    Path file();

    /** Whether the text has all entries as this version writes them. */
    boolean isComplete(String text);

    /** Whether the text has any entry of any version of Roost. */
    boolean isPresentIn(String text);

    /** The text with each entry once. */
    String addTo(String text);

    /** The text without the entries; {@code original}: the content before the install, if known. */
    String removeFrom(String text, Optional<String> original);

    /** Whether the rest is empty, so that the file can be removed. */
    default boolean isNothing(String text) {
        return text.isBlank();
    }

    /** A file of Roost alone; {@code mark}: a text in all of its versions, which identifies older ones. */
    record FileCopy(Path file, String content, String mark) implements HarnessFileEdit {
        @Override
        public boolean isComplete(String text) {
            return text.equals(content);
        }

        @Override
        public boolean isPresentIn(String text) {
            return isComplete(text) || text.contains(mark);
        }

        @Override
        public String addTo(String text) {
            return content;
        }

        @Override
        public String removeFrom(String text, Optional<String> original) {
            return original.orElse("");
        }
    }
}
