package dev.roost.landing;

import dev.roost.git.GitOperation;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.Locale;
import java.util.Optional;
import tools.jackson.databind.json.JsonMapper;

/**
 * How far a run's code has landed, computed from git.
 *
 * @param ahead the number of the run's own commits, which neither the base nor a target has
 * @param behind the number of commits of the target that the run lacks
 * @param dirty the number of tracked files that differ from HEAD
 * @param where the remote branch with the work, or the branch into which it was merged
 * @param squashedAs the commit of a squash merge
 * @param head the commit that counts as the run's tip
 * @param computedFrom the sources of the landing, and the remotes that did not answer
 * @param unknown why git cannot read the worktree; then no file is counted
 */
public record Landing(
        Stage stage,
        int ahead,
        int behind,
        int dirty,
        int untracked,
        int conflicts,
        Optional<GitOperation> operation,
        Optional<String> where,
        Optional<String> squashedAs,
        Optional<PullRequest> pull,
        String head,
        String computedFrom,
        Optional<String> unknown) {

    public enum Stage {
        /** The run has no commit, and git cannot tell whether it has changed files. */
        UNKNOWN,
        NOTHING,
        UNCOMMITTED,
        COMMITTED,
        PUSHED,
        PR_OPEN,
        MERGED;

        public String word() {
            return name().toLowerCase(Locale.ROOT);
        }

        public static Optional<Stage> of(String word) {
            return Arrays.stream(values())
                    .filter(stage -> stage.word().equals(word))
                    .findFirst();
        }
    }

    /** Whether a landing uses only local refs, or also asks remotes and the forge, each with a deadline. */
    public enum LookupScope {
        LOCAL,
        REMOTE
    }

    public record PullRequest(int number, Optional<String> url) {}

    public boolean isClean() {
        return dirty == 0 && untracked == 0 && conflicts == 0 && operation.isEmpty() && unknown.isEmpty();
    }

    /** The landing as JSON for the ledger and the surfaces. */
    public String json() {
        var json = new JsonMapper().createObjectNode();
        json.put("ahead", ahead()).put("behind", behind()).put("dirty", dirty()).put("untracked", untracked());
        if (conflicts() > 0) json.put("conflicts", conflicts());
        operation().ifPresent(mid -> json.put("mid", mid.word()));
        where().ifPresent(where -> json.put("where", where));
        pull().ifPresent(pull -> {
            var request = json.putObject("pull_request").put("number", pull.number());
            pull.url().ifPresent(url -> request.put("url", url));
        });
        unknown().ifPresent(why -> json.put("unknown", why));
        json.put("head", head()).put("computed_from", computedFrom());
        return json.toString();
    }

    public String inWords() {
        var parts = new ArrayList<String>();
        parts.add(
                switch (stage) {
                    case UNKNOWN -> "unknown" + unknown.map(why -> ": " + why).orElse("");
                    case NOTHING -> operation.isPresent() ? "nothing committed" : "nothing";
                    case UNCOMMITTED -> "uncommitted";
                    case COMMITTED -> "committed";
                    case PUSHED -> "pushed" + where.map(name -> " to " + name).orElse("");
                    case PR_OPEN ->
                        "pull request"
                                + pull.map(pr -> " #" + pr.number()).orElse("")
                                + " open"
                                + pull.flatMap(PullRequest::url)
                                        .map(url -> " (" + url + ")")
                                        .orElse("");
                    case MERGED ->
                        squashedAs
                                .map(commit -> "merged (squashed as " + commit.substring(0, 7) + ")")
                                .orElseGet(() -> "merged"
                                        + where.map(name -> " into " + name).orElse(""));
                });
        // before the counts, so that it survives if the line is truncated
        operation.ifPresent(what -> parts.add(what.word() + withConflicts()));
        if (operation.isEmpty() && conflicts > 0) parts.add(conflicts + " conflict" + (conflicts == 1 ? "" : "s"));
        if (stage != Stage.MERGED && ahead > 0) parts.add(ahead + " ahead");
        if (stage != Stage.MERGED && ahead > 0 && behind > 0) parts.add(behind + " behind");
        int files = dirty + untracked;
        if (files > 0)
            parts.add("%d file%s%s"
                    .formatted(files, files == 1 ? "" : "s", stage == Stage.UNCOMMITTED ? "" : " uncommitted"));
        if (stage != Stage.UNKNOWN) unknown.ifPresent(why -> parts.add("uncommitted files unknown: " + why));
        return String.join(", ", parts);
    }

    private String withConflicts() {
        if (conflicts == 0) return "";
        return " with %d conflict%s".formatted(conflicts, conflicts == 1 ? "" : "s");
    }
}
