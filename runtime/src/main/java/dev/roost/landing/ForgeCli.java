package dev.roost.landing;

import dev.roost.git.Git;
import dev.roost.git.GitReply;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.regex.Pattern;

/** Asks the forge's own program, if installed, for the pull request of a branch. */
record ForgeCli(Git git) {

    private static final String LINES = "{{range .}}{{.number}} {{.state}} {{.headRefOid}} {{.url}}{{\"\\n\"}}{{end}}";
    private static final Pattern LINE = Pattern.compile("([0-9]{1,9}) (OPEN|MERGED|CLOSED) ([0-9a-f]+) (\\S+)");
    private static final Pattern IID = Pattern.compile("\"iid\":\\s*([0-9]{1,9})");
    private static final Pattern STATE = Pattern.compile("\"state\":\\s*\"(opened|merged|closed)\"");
    private static final Pattern SHA = Pattern.compile("\"sha\":\\s*\"([0-9a-f]+)\"");
    private static final Pattern URL = Pattern.compile("\"web_url\":\\s*\"([^\"]*/merge_requests/[0-9]+)\"");

    enum PullRequestState {
        OPEN,
        MERGED,
        CLOSED
    }

    record ForgeAnswer(PullRequestState state, Landing.PullRequest pull) {}

    Optional<ForgeAnswer> about(String branch, String tip) {
        var gh = git.find("gh");
        if (gh.isPresent()) {
            var reply = git.program(List.of(
                    gh.get(),
                    "pr",
                    "list",
                    "--head",
                    branch,
                    "--state",
                    "all",
                    "--limit",
                    "20",
                    "--json",
                    "number,state,headRefOid,url",
                    "--template",
                    LINES));
            var answer = reply.ok() ? fromGh(reply, tip) : Optional.<ForgeAnswer>empty();
            if (answer.isPresent()) return answer;
        }
        var glab = git.find("glab");
        if (glab.isEmpty()) return Optional.empty();
        var reply = git.program(List.of(
                glab.get(), "mr", "list", "--source-branch", branch, "--all", "--per-page", "1", "--output", "json"));
        return reply.ok() ? fromGlab(reply.line(), tip) : Optional.empty();
    }

    /** The pull request with exactly this commit; prefers an open one. */
    private static Optional<ForgeAnswer> fromGh(GitReply reply, String tip) {
        Optional<ForgeAnswer> best = Optional.empty();
        for (var line : reply.lines()) {
            var found = LINE.matcher(line.strip());
            if (!found.matches() || !found.group(3).equals(tip)) continue;
            var answer = new ForgeAnswer(
                    PullRequestState.valueOf(found.group(2)),
                    new Landing.PullRequest(Integer.parseInt(found.group(1)), Optional.of(found.group(4))));
            if (best.isEmpty() || answer.state() == PullRequestState.OPEN) best = Optional.of(answer);
        }
        return best;
    }

    private static Optional<ForgeAnswer> fromGlab(String json, String tip) {
        var iid = IID.matcher(json);
        var state = STATE.matcher(json);
        var sha = SHA.matcher(json);
        var url = URL.matcher(json);
        if (!iid.find() || !state.find() || !sha.find() || !sha.group(1).equals(tip)) return Optional.empty();
        var word = state.group(1).toUpperCase(Locale.ROOT);
        return Optional.of(new ForgeAnswer(
                word.equals("OPENED") ? PullRequestState.OPEN : PullRequestState.valueOf(word),
                new Landing.PullRequest(
                        Integer.parseInt(iid.group(1)), url.find() ? Optional.of(url.group(1)) : Optional.empty())));
    }
}
