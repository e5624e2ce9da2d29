package dev.roost.cli.install;

import dev.roost.cli.edit.NotEditable;
import dev.roost.cli.edit.TomlTable;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** What Roost adds to one file of a harness, and how that is taken out again. All of it is text in, text out. */
sealed interface HarnessFileEdit permits JsonFileEdit, HarnessFileEdit.TomlEdit, HarnessFileEdit.FileCopy {

    Path file();

    /** Whether all of it is there as it would be written now. */
    boolean isComplete(String text);

    /** Whether anything of it is there, of this version of Roost or of another. */
    boolean isPresentIn(String text);

    /** The text with all of it, once. */
    String addTo(String text);

    /** The text without any of it; {@code original}: how the file looked before, as far as that is known. */
    String removeFrom(String text, Optional<String> original);

    /** Whether nothing is left there that anybody needs. */
    boolean isNothing(String text);

    /** A table at the end of a TOML file; {@code words}: the command that it holds. */
    record TomlEdit(Path file, TomlTable table, List<String> words) implements HarnessFileEdit {
        @Override
        public boolean isComplete(String text) {
            return table.isIn(text);
        }

        @Override
        public boolean isPresentIn(String text) {
            return table.isOursIn(text);
        }

        @Override
        public String addTo(String text) {
            String without = isPresentIn(text) ? table.remove(text) : text;
            if (table.isTakenIn(without))
                throw NotEditable.because(
                        "has %s already, and Roost did not write it".formatted(String.join(".", table.name())));
            return table.append(without);
        }

        @Override
        public String removeFrom(String text, Optional<String> original) {
            return table.remove(text);
        }

        @Override
        public boolean isNothing(String text) {
            return text.isBlank();
        }
    }

    /** A file that is ours alone; {@code mark}: words that stand in it in every version, so that older ones are known again. */
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

        @Override
        public boolean isNothing(String text) {
            return text.isEmpty();
        }
    }
}
