package dev.roost.landing;

import dev.roost.git.Git;
import dev.roost.git.Worktree;
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

    public LandingCalculator(Git git, Worktree w, Landing.LookupScope reach, RemoteAnswers answers) {
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
        var branch = git.ask("rev-parse", "--verify", "--quiet", w.branchRef() + "^{commit}");
        if (branch.ok() && isBeyondBase(branch.line())) return branch.line();
        return head.orElse(branch.ok() ? branch.line() : w.base());
    }

    private boolean isBeyondBase(String commit) {
        return !commit.equals(w.base())
                && !git.ask("merge-base", "--is-ancestor", commit, w.base()).ok();
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
}
