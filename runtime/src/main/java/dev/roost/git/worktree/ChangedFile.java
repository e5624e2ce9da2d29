package dev.roost.git.worktree;

import dev.roost.git.Git;
import dev.roost.git.GitPath;
import dev.roost.git.GitReply;
import dev.roost.git.Worktree;
import dev.roost.git.WorktreeGitDir;
import dev.roost.git.checkpoint.CheckpointRefs;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A file that differs from the run's base commit; {@code binary} if it has no lines to count. */
public record ChangedFile(String path, int added, int removed, boolean binary, boolean untracked) {

    private static final String BINARY = "-";

    static List<ChangedFile> in(Git git, Worktree w) {
        if (WorktreeGitDir.of(w.path(), w.common()).isPresent()) return inWorktree(git.at(w.path()), w);
        var kept = git.at(w.common());
        var there = CheckpointRefs.latest(git, w).map(known -> known.ref()).orElse(w.branchRef());
        var reply = kept.ask("diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", w.base(), there, "--");
        return reply.ok() ? counted(reply) : List.of();
    }

    private static List<ChangedFile> inWorktree(Git git, Worktree w) {
        var changed = new ArrayList<>(
                counted(git.run("diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", w.base(), "--")));
        for (var name :
                git.run("ls-files", "--others", "--exclude-standard", "-z").fields())
            changed.add(new ChangedFile(new GitPath(name).text(), 0, 0, false, true));
        return changed;
    }

    private static List<ChangedFile> counted(GitReply reply) {
        return reply.fields().stream().flatMap(field -> counted(field).stream()).toList();
    }

    /** {@code 12<tab>3<tab>path}; a binary file has a dash for each number. */
    private static Optional<ChangedFile> counted(String field) {
        var parts = field.split("\t", 3);
        if (parts.length < 3) return Optional.empty();
        boolean binary = parts[0].equals(BINARY);
        return Optional.of(new ChangedFile(
                new GitPath(parts[2]).text(),
                binary ? 0 : Integer.parseInt(parts[0]),
                binary ? 0 : Integer.parseInt(parts[1]),
                binary,
                false));
    }
}
