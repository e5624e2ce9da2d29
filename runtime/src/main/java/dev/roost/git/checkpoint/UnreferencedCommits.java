package dev.roost.git.checkpoint;

import dev.roost.git.Git;
import dev.roost.git.GitReply;
import dev.roost.git.Worktree;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;

/** Commits that only the log or refs of a worktree lead to, and that git would lose with the worktree. */
record UnreferencedCommits(Git git, Worktree w) {

    /** The tips of the known commits that {@code held} does not lead to. */
    List<String> beyond(List<String> held, Collection<String> known) {
        var wanted = new LinkedHashSet<>(known);
        git.run("for-each-ref", "--format=%(objectname)", "refs/bisect/", "refs/worktree/", "refs/rewritten/")
                .lines()
                .forEach(wanted::add);
        wanted.removeAll(held);
        if (wanted.isEmpty()) return List.of();
        var input = new StringBuilder();
        wanted.forEach(oid -> input.append(oid).append('\n'));
        held.forEach(oid -> input.append('^').append(oid).append('\n'));
        var walk = git.given(input.toString().getBytes(StandardCharsets.US_ASCII))
                .ask("rev-list", "--parents", "--ignore-missing", "--stdin");
        if (!walk.ok()) return List.of();
        var listed = new HashSet<String>();
        var parents = new HashSet<String>();
        for (var line : walk.lines()) {
            var words = GitReply.pieces(line, ' ');
            listed.add(words.getFirst());
            parents.addAll(words.subList(1, words.size()));
        }
        var tips = new ArrayList<String>();
        for (var oid : wanted) if (listed.contains(oid) && !parents.contains(oid)) tips.add(oid);
        return tips;
    }
}
