package dev.roost.worktrees;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** A file that is other than in the commit a run began with; {@code binary}: without lines to count. */
public record Changed(String path, int added, int removed, boolean binary, boolean untracked) {

    private static final String BINARY = "-";

    static List<Changed> in(Git git, Worktree w) {
        if (Admin.of(w.path(), w.common()).isPresent()) return inWorktree(git.at(w.path()), w);
        var kept = git.at(w.common());
        var there = Rescues.latest(git, w).map(known -> known.ref().name()).orElse(w.branchRef());
        var reply = kept.ask("diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", w.base(), there, "--");
        return reply.ok() ? counted(reply) : List.of();
    }

    private static List<Changed> inWorktree(Git git, Worktree w) {
        var changed = new ArrayList<>(
                counted(git.run("diff", "--numstat", "-z", "--no-renames", "--no-ext-diff", w.base(), "--")));
        for (var name :
                git.run("ls-files", "--others", "--exclude-standard", "-z").fields())
            changed.add(new Changed(new GitPath(name).text(), 0, 0, false, true));
        return changed;
    }

    private static List<Changed> counted(Reply reply) {
        return reply.fields().stream().flatMap(field -> counted(field).stream()).toList();
    }

    /** {@code 12<tab>3<tab>path}; a binary file has a dash for each number. */
    private static Optional<Changed> counted(String field) {
        var parts = field.split("\t", 3);
        if (parts.length < 3) return Optional.empty();
        boolean binary = parts[0].equals(BINARY);
        return Optional.of(new Changed(
                new GitPath(parts[2]).text(),
                binary ? 0 : Integer.parseInt(parts[0]),
                binary ? 0 : Integer.parseInt(parts[1]),
                binary,
                false));
    }
}
