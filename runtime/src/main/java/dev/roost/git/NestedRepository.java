package dev.roost.git;

import java.nio.file.Path;
import java.util.Optional;

/** A repository inside a worktree. Finds out whether it has changes or commits that exist nowhere else. */
public record NestedRepository(Git git, Path root, GitPath path) {

    public Optional<String> unsavedReason() {
        var inside = git.at(path.in(root));
        var status = inside.ask("status", "--porcelain", "-z", "--untracked-files=all");
        if (!status.ok()) return Optional.of("is a repository that git cannot read");
        if (!status.out().isEmpty()) return Optional.of("is a repository with changes that are not committed");
        var unborn =
                !inside.ask("rev-parse", "--verify", "--quiet", "HEAD^{commit}").ok();
        var own = unborn
                ? inside.ask("rev-list", "--max-count=1", "--all", "--not", "--remotes")
                : inside.ask("rev-list", "--max-count=1", "--all", "HEAD", "--not", "--remotes");
        if (!own.ok() || !own.out().isBlank())
            return Optional.of("is a repository with commits that are on none of its remotes");
        return Optional.empty();
    }
}
