package dev.roost.git.checkpoint;

import java.util.List;
import java.util.Locale;
import java.util.stream.Collectors;

/** A file that git itself would refuse or store with other bytes; a checkpoint holds its bytes on disk. */
public record SpecialFile(String path, SpecialReason reason) {

    private static final int MOST_NAMED = 3;

    public enum SpecialReason {
        /** A {@code filter} attribute applies to it. */
        FILTER,
        /** A {@code working-tree-encoding} applies to it. */
        ENCODING,
        /** {@code core.safecrlf} checks its line ends. */
        LINE_ENDS,
        /** A symbolic link, while {@code core.symlinks} is false. */
        LINK,
        /** The index names an object for it that is not in the repository. */
        LOST_OBJECT;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }
    }

    @Override
    public String toString() {
        return "%s (%s)".formatted(path, reason.word());
    }

    /** {@code a.bin (filter), b.txt (encoding) and 4 more}. */
    public static String inWords(List<SpecialFile> files) {
        var named = files.stream().limit(MOST_NAMED).map(SpecialFile::toString).collect(Collectors.joining(", "));
        return files.size() > MOST_NAMED ? "%s and %d more".formatted(named, files.size() - MOST_NAMED) : named;
    }
}
