package dev.roost.landing;

import dev.roost.git.Git;
import dev.roost.git.GitReply;
import dev.roost.git.Worktree;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** Computes a landing. The furthest stage wins; uncommitted files are always counted in addition. */
public final class LandingCalculator {

    private static final Duration MOST_TIME = Duration.ofSeconds(20);

    private final Git git;
    private final Worktree w;
    private final RemoteRefs remotes;

    public LandingCalculator(Git git, Worktree w, Landing.LookupScope reach, RemoteRefs.RemoteAnswers answers) {
        this.git = git.at(w.common());
        this.w = w;
        this.remotes = new RemoteRefs(git.at(w.common()), w, reach, answers);
    }

    public Landing compute() {
        var status = WorktreeStatus.of(git, w);
        var tip = tip(status);
        var own = isBeyondBase(tip);
        if (own) remotes.ask(); // without own commits, a remote can have nothing of the run
        var targets = remotes.targets();
        int ahead = own ? ahead(tip, targets) : 0;
        int behind = targets.isEmpty() ? 0 : count(targets.getFirst().commit(), "^" + tip);
        var stage = withoutCommits(status);
        Optional<String> where = Optional.empty();
        Optional<String> squashed = Optional.empty();
        Optional<Landing.PullRequest> pull = Optional.empty();
        var from = status.from() + remotes.answersKey() + compared(targets);
        if (own) {
            stage = Landing.Stage.COMMITTED;
            var merged = new MergeCheck(git.within(MOST_TIME), tip).into(targets);
            if (merged.isPresent()) {
                stage = Landing.Stage.MERGED;
                where = Optional.of(merged.get().target());
                squashed = merged.get().squashedAs();
            } else {
                where = remotes.branchWith(tip);
                var seen = remotes.pullWith(tip);
                var answer = remotes.forge(tip, where);
                if (where.isPresent() || seen.isPresent()) stage = Landing.Stage.PUSHED;
                if (answer.isPresent()) {
                    pull = Optional.of(answer.get().pull());
                    stage = switch (answer.get().state()) {
                        case OPEN -> Landing.Stage.PR_OPEN;
                        case MERGED -> Landing.Stage.MERGED;
                        case CLOSED -> Landing.Stage.PUSHED;
                    };
                } else if (seen.isPresent()) {
                    pull = seen;
                    stage = Landing.Stage.PR_OPEN;
                }
            }
        }
        return new Landing(
                stage,
                ahead,
                behind,
                status.dirty(),
                status.untracked(),
                status.conflicts(),
                status.operation(),
                where,
                squashed,
                pull,
                tip,
                from,
                status.unknown());
    }

    private static Landing.Stage withoutCommits(WorktreeStatus status) {
        if (status.unknown().isPresent()) return Landing.Stage.UNKNOWN;
        return status.dirty() + status.untracked() > 0 ? Landing.Stage.UNCOMMITTED : Landing.Stage.NOTHING;
    }

    /** The commits from which the landing was computed: it may change when these do. */
    private static String compared(List<RemoteRefs.Target> targets) {
        if (targets.isEmpty()) return "";
        return targets.stream()
                .map(target -> target.name() + " " + target.commit())
                .collect(Collectors.joining(", ", "; compared with ", ""));
    }

    /** HEAD, unless only the run's branch has commits of the run. */
    private String tip(WorktreeStatus status) {
        var head = status.head();
        if (head.isPresent() && isBeyondBase(head.get())) return head.get();
        var branch = git.commit(w.branchRef());
        return branch.filter(this::isBeyondBase).or(() -> head).or(() -> branch).orElse(w.base());
    }

    private boolean isBeyondBase(String commit) {
        return !commit.equals(w.base()) && !git.isAncestor(commit, w.base());
    }

    /** Counts the run's own commits. After a rebase onto a newer target, the target's commits do not count. */
    private int ahead(String tip, List<RemoteRefs.Target> targets) {
        var words = new ArrayList<>(List.of(tip, "^" + w.base()));
        for (var target : targets) words.add("^" + target.commit());
        return count(words.toArray(String[]::new));
    }

    private int count(String... revisions) {
        var words = new ArrayList<>(List.of("rev-list", "--count"));
        words.addAll(List.of(revisions));
        var reply = git.ask(words.toArray(String[]::new));
        return reply.ok() ? Integer.parseInt(reply.line()) : 0;
    }

    /** Checks whether a target contains the work of a tip: by ancestry, as equal patches, or as one squashed commit. */
    private record MergeCheck(Git git, String tip) {

        private static final String MOST_COMMITS = "1000";

        record MergedTarget(String target, Optional<String> squashedAs) {}

        Optional<MergedTarget> into(List<RemoteRefs.Target> targets) {
            for (var target : targets) {
                if (git.isAncestor(tip, target.commit()))
                    return Optional.of(new MergedTarget(target.name(), Optional.empty()));
            }
            for (var target : targets) {
                var fork = git.ask("merge-base", target.commit(), tip);
                if (!fork.ok()) continue;
                if (isCherryPicked(target.commit()))
                    return Optional.of(new MergedTarget(target.name(), Optional.empty()));
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
            var whole =
                    patchIds(git.ask("diff-tree", "-p", "--full-index", "--no-ext-diff", "--no-textconv", fork, tip));
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
            var ids = git.given(patches.out().getBytes(StandardCharsets.ISO_8859_1))
                    .ask("patch-id", "--stable");
            return ids.ok() ? ids.lines() : List.of();
        }
    }
}
