package dev.roost.git;

import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;

/** A git operation that can be unfinished in a worktree. */
public enum GitOperation {
    REBASE,
    MERGE,
    CHERRY_PICK,
    REVERT,
    BISECT;

    public String word() {
        return "mid_" + name().toLowerCase(Locale.ROOT);
    }

    public static Optional<GitOperation> of(String word) {
        return Arrays.stream(values())
                .filter(operation -> operation.word().equals(word))
                .findFirst();
    }
}
