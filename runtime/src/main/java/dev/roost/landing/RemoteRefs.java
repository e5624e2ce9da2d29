package dev.roost.landing;

import dev.roost.git.Git;
import dev.roost.git.GitReply;
import dev.roost.git.KeyedLocks;
import dev.roost.git.Worktree;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import java.util.regex.Pattern;

/** The refs of remotes, from this repository or from the remotes themselves. Never changes tracking refs. */
public final class RemoteRefs {

    private static final Duration DEADLINE = Duration.ofSeconds(5);
    private static final Duration FETCH = Duration.ofMinutes(10);
    private static final int MOST_REMOTES = 3;
    private static final Pattern PULL = Pattern.compile("refs/(?:pull|merge-requests)/([0-9]{1,9})/head");

    /** A branch into which work is merged, and its commit. */
    record Target(String name, String commit) {}

    private final Git git;
    private final Worktree w;
    private final boolean asks;
    private final RemoteAnswers answers;
    private final List<String> names;
    private final Map<String, Map<String, String>> heard = new LinkedHashMap<>();
    private final List<String> silent = new ArrayList<>();

    RemoteRefs(Git git, Worktree w, Landing.LookupScope reach, RemoteAnswers answers) {
        this.answers = answers;
        this.git = git;
        this.w = w;
        this.asks = reach == Landing.LookupScope.REMOTE;
        var all = new ArrayList<>(git.run("remote").lines());
        if (all.remove("origin")) all.addFirst("origin");
        this.names = List.copyOf(all.subList(0, Math.min(MOST_REMOTES, all.size())));
    }

    /** Makes git never prompt for input. */
    public static Git quietly(Git git) {
        return git.ask("config", "--get", "core.sshCommand").ok()
                ? git
                : git.with("GIT_SSH_COMMAND", "ssh -o BatchMode=yes -o ConnectTimeout=5");
    }

    /** Fetches all branches of these remotes into refs of Roost; skips a remote that does not answer. */
    public static void fetchBranches(Git git, List<String> remotes) {
        for (var name : remotes) {
            var _ = fetch(git, name, "+refs/heads/*:refs/roost/remotes/%s/*".formatted(name));
        }
    }

    public static GitReply fetch(Git git, String remote, String ref) {
        return fetchOnly(quietly(git.within(FETCH)), remote, ref);
    }

    /** Fetches only the named ref: no tags, no submodules, no other refs. */
    private static GitReply fetchOnly(Git git, String remote, String ref) {
        return git.ask(
                "fetch",
                "--quiet",
                "--no-tags",
                "--no-write-fetch-head",
                "--no-recurse-submodules",
                "--refmap=",
                "--",
                remote,
                ref);
    }

    void ask() {
        if (!asks) return;
        var patient = quietly(git.within(DEADLINE));
        for (var remote : names) {
            var refs = answers.of(w.common(), remote, () -> ask(patient, remote));
            if (refs.isEmpty()) silent.add(remote);
            else heard.put(remote, refs.get());
        }
    }

    private Optional<Map<String, String>> ask(Git patient, String remote) {
        var reply = patient.ask("ls-remote", "--symref", "--", remote);
        if (!reply.ok()) return Optional.empty();
        var refs = new LinkedHashMap<String, String>();
        for (var line : reply.lines()) {
            int tab = line.indexOf('\t');
            var ref = line.substring(tab + 1);
            if (line.startsWith("ref: ")) refs.put("default", line.substring("ref: ".length(), tab));
            else refs.put(ref, line.substring(0, tab));
        }
        fetch(patient, remote, refs);
        return Optional.of(refs);
    }

    /** Fetches target branches into refs of Roost: a fetch into refs/remotes would defeat --force-with-lease. */
    private void fetch(Git patient, String remote, Map<String, String> refs) {
        for (var branch : targetBranches(remote, refs)) {
            var commit = refs.get("refs/heads/" + branch);
            if (commit == null) continue;
            var own = own(remote, branch);
            if (commit.equals(git.commit(own).orElse(""))) continue;
            var reply = fetchOnly(patient, remote, "+refs/heads/" + branch + ":" + own);
            if (!reply.ok() && !silent.contains(remote)) silent.add(remote);
        }
    }

    private static String own(String remote, String branch) {
        return "refs/roost/remotes/" + remote + "/" + branch;
    }

    private List<String> targetBranches(String remote, Map<String, String> refs) {
        var branches = new ArrayList<String>();
        var known = git.ask("symbolic-ref", "--quiet", "refs/remotes/" + remote + "/HEAD");
        if (refs.containsKey("default")) branches.add(refs.get("default").substring("refs/heads/".length()));
        else if (known.ok()) branches.add(known.line().substring(("refs/remotes/" + remote + "/").length()));
        w.target().filter(name -> !branches.contains(name)).ifPresent(branches::add);
        if (branches.isEmpty() || (!known.ok() && refs.isEmpty())) {
            for (var usual : List.of("main", "master")) if (!branches.contains(usual)) branches.add(usual);
        }
        return branches;
    }

    /** The branches with which a landing is compared, the nearest first. A run's own branch is no target. */
    List<Target> targets() {
        var targets = new ArrayList<Target>();
        w.target().ifPresent(name -> add(targets, name, "refs/heads/" + name));
        for (var remote : names) {
            for (var branch : targetBranches(remote, heard.getOrDefault(remote, Map.of()))) {
                add(targets, remote + "/" + branch, own(remote, branch));
                add(targets, remote + "/" + branch, "refs/remotes/" + remote + "/" + branch);
                add(targets, branch, "refs/heads/" + branch);
            }
        }
        if (names.isEmpty()) for (var usual : List.of("main", "master")) add(targets, usual, "refs/heads/" + usual);
        return targets;
    }

    private void add(List<Target> targets, String name, String ref) {
        if (ref.equals(w.branchRef())) return;
        git.commit(ref).ifPresent(commit -> {
            if (targets.stream().noneMatch(known -> known.commit().equals(commit)))
                targets.add(new Target(name, commit));
        });
    }

    /** The remote branch that contains this commit. The answer of a remote takes precedence over fetched refs. */
    Optional<String> branchWith(String tip) {
        for (var remote : heard.entrySet()) {
            for (var ref : remote.getValue().entrySet()) {
                if (ref.getKey().startsWith("refs/heads/") && ref.getValue().equals(tip))
                    return Optional.of(remote.getKey() + "/" + ref.getKey().substring("refs/heads/".length()));
            }
        }
        var known = git.ask(
                "for-each-ref",
                "--format=%(objectname) %(refname:lstrip=2)",
                "--contains",
                tip,
                "refs/remotes/",
                "refs/roost/remotes/");
        if (!known.ok()) return Optional.empty();
        return known.lines().stream()
                .map(line -> new Target(
                        line.substring(line.indexOf(' ') + 1).replaceFirst("^remotes/", ""),
                        line.substring(0, line.indexOf(' '))))
                .filter(branch -> !branch.name().endsWith("/HEAD") && isStillThere(branch))
                .map(Target::name)
                .findFirst();
    }

    /** Whether the remote, if it has answered, still has the branch at this commit. */
    private boolean isStillThere(Target branch) {
        for (var remote : heard.entrySet()) {
            var prefix = remote.getKey() + "/";
            if (!branch.name().startsWith(prefix)) continue;
            var now = remote.getValue().get("refs/heads/" + branch.name().substring(prefix.length()));
            return branch.commit().equals(now);
        }
        return true;
    }

    Optional<Landing.PullRequest> pullWith(String tip) {
        for (var refs : heard.values()) {
            for (var ref : refs.entrySet()) {
                var pull = PULL.matcher(ref.getKey());
                if (pull.matches() && ref.getValue().equals(tip))
                    return Optional.of(new Landing.PullRequest(Integer.parseInt(pull.group(1)), Optional.empty()));
            }
        }
        return Optional.empty();
    }

    Optional<ForgeCli.ForgeAnswer> forge(String tip, Optional<String> where) {
        if (!asks || names.isEmpty()) return Optional.empty();
        var branch = where.map(name -> name.substring(name.indexOf('/') + 1)).orElse(w.branch());
        return new ForgeCli(git.within(DEADLINE)).about(branch, tip);
    }

    String answersKey() {
        if (!asks) return "";
        var answered =
                heard.keySet().stream().filter(name -> !silent.contains(name)).toList();
        var text = answered.isEmpty() ? "" : " and " + String.join(", ", answered);
        return silent.isEmpty() ? text : text + "; no answer from " + String.join(", ", silent);
    }

    /** Caches the answers of remotes, so that each remote is asked once for many runs of one repository. */
    public static final class RemoteAnswers {

        private record RemoteQuery(Path common, String remote) {}

        private final Map<RemoteQuery, Optional<Map<String, String>>> known = new ConcurrentHashMap<>();

        /** The refs of a remote; empty if it did not answer. */
        Optional<Map<String, String>> of(Path common, String remote, Supplier<Optional<Map<String, String>>> ask) {
            var question = new RemoteQuery(common, remote);
            try (var _ = KeyedLocks.on(common.resolve("asking " + remote))) {
                var before = known.get(question);
                if (before != null) return before;
                var now = ask.get();
                known.put(question, now);
                return now;
            }
        }
    }
}
