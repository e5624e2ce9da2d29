package dev.roost.git;

import dev.roost.model.RunId;
import java.nio.file.Path;
import java.util.Optional;

/** A run's own worktree as stored in the ledger. */
public record Worktree(RunId run, Path path, Path common, String base, Optional<String> target) {

    public String branch() {
        return "roost/" + run;
    }

    public String refs() {
        return "refs/roost/" + run + "/";
    }

    public String branchRef() {
        return "refs/heads/" + branch();
    }
}
