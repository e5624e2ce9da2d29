package dev.roost.landing;

import dev.roost.git.Git;
import dev.roost.git.GitReply;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** Checks whether a target contains the work of a tip: by ancestry, as equal patches, or as one squashed commit. */
record MergeCheck(Git git, String tip) {

    private static final String MOST_COMMITS = "1000";

    record MergedTarget(String target, Optional<String> squashedAs) {}

    Optional<MergedTarget> into(List<RemoteRefs.Target> targets) {
        for (var target : targets) {
            if (git.ask("merge-base", "--is-ancestor", tip, target.commit()).ok())
                return Optional.of(new MergedTarget(target.name(), Optional.empty()));
        }
        for (var target : targets) {
            var fork = git.ask("merge-base", target.commit(), tip);
            if (!fork.ok()) continue;
            if (isCherryPicked(target.commit())) return Optional.of(new MergedTarget(target.name(), Optional.empty()));
            var squashed = squashed(target.commit(), fork.line());
            if (squashed.isPresent()) return Optional.of(new MergedTarget(target.name(), squashed));
        }
        return Optional.empty();
    }

    /** Whether the target has a commit with the same patch for each commit. False if the work contains a merge. */
    private boolean isCherryPicked(String target) {
        var merges = git.ask("rev-list", "--merges", "--max-count=1", tip, "^" + target);
        if (!merges.ok() || !merges.out().isBlank()) return false;
        var cherry = git.ask("cherry", target, tip);
        return cherry.ok()
                && !cherry.lines().isEmpty()
                && cherry.lines().stream().allMatch(line -> line.startsWith("- "));
    }

    private Optional<String> squashed(String target, String fork) {
        var whole = patchIds(git.ask("diff-tree", "-p", "--full-index", "--no-ext-diff", "--no-textconv", fork, tip));
        if (whole.isEmpty()) return Optional.empty();
        var wanted = GitReply.pieces(whole.getFirst(), ' ').getFirst();
        var log = git.ask(
                "log",
                "--first-parent",
                "--no-merges",
                "--max-count=" + MOST_COMMITS,
                "-p",
                "--full-index",
                "--no-ext-diff",
                "--no-textconv",
                "--format=commit %H",
                fork + ".." + target);
        for (var line : patchIds(log)) {
            var words = GitReply.pieces(line, ' ');
            if (words.getFirst().equals(wanted)) return Optional.of(words.get(1));
        }
        return Optional.empty();
    }

    private List<String> patchIds(GitReply patches) {
        if (!patches.ok() || patches.out().isBlank()) return List.of();
        var ids = git.given(patches.out().getBytes(StandardCharsets.ISO_8859_1)).ask("patch-id", "--stable");
        return ids.ok() ? ids.lines() : List.of();
    }
}
