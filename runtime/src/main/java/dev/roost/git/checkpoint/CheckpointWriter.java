package dev.roost.git.checkpoint;

import dev.roost.base.Broken;
import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import dev.roost.git.Git;
import dev.roost.git.GitOperation;
import dev.roost.git.GitPath;
import dev.roost.git.GitReply;
import dev.roost.git.Worktree;
import dev.roost.git.WorktreeGitDir;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.time.Instant;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;

/** Writes one checkpoint. Uses a copy of the index, and changes no branch, HEAD, index, file or lock. */
public final class CheckpointWriter {

    private static final int ROUNDS = 8;
    private static final int ROUNDS_TO_HOLD_STILL = 4; // after that, accepts files that change during the scan
    private static final int MOST_PARENTS = 60;

    private final Git git;
    private final Worktree w;
    private final WorktreeGitDir gitDir;
    private final TreeWriter trees;
    private final String why;
    private final Instant at;

    /** @param root the directory with the files: the worktree's path, or its temporary path during a removal */
    public CheckpointWriter(Git git, Worktree w, Path root, WorktreeGitDir gitDir, String why, Instant at) {
        this.git = git.at(root);
        this.w = w;
        this.gitDir = gitDir;
        this.trees = new TreeWriter(git.at(root), gitDir);
        this.why = CheckpointMessage.why(why);
        this.at = at;
    }

    public Checkpoint write(Path root, CheckpointLimits limits, Set<GitPath> away) {
        trees.clear();
        RoostError last = null;
        for (int round = 1; round <= ROUNDS; round++) {
            var scan = new WorktreeScan(root, limits, away);
            var head = git.commit("HEAD");
            try (var index = NeutralIndex.copyOf(git, gitDir, root, head, w.base())) {
                var content = content(scan, index, head, last != null && round % 4 == 2);
                if (round < ROUNDS_TO_HOLD_STILL && !scan.stillHolds()) continue;
                return commit(content, scan.omitted);
            } catch (Broken e) {
                if (ErrorCode.of(e) == ErrorCode.GIT_LATE) throw e;
                last = e; // files change while git reads them; a retry mostly succeeds
            } catch (IOException e) {
                last = ErrorCode.CHECKPOINT_FAILED.error(
                        "The worktree could not be read: " + e, "Look at " + root + ".");
            }
        }
        throw last == null ? ErrorCode.CHECKPOINT_FAILED.error("The worktree never held still.") : last;
    }

    /** Writes a checkpoint of a worktree without its directory, from the HEAD that git still has of it. */
    public Optional<Checkpoint> writeWithoutFiles() {
        var last = CheckpointRefs.latest(git, w);
        var head = git.commit("HEAD");
        if (head.isEmpty()) return Optional.empty();
        var known = last.filter(same -> same.message().head().equals(head));
        var tree = known.map(Checkpoint::tree).orElseGet(() -> git.line("rev-parse", head.get() + "^{tree}"));
        var message = known.map(Checkpoint::message);
        var draft = draft(
                tree,
                head,
                message.map(CheckpointMessage::index).orElse(Optional.of(tree)),
                message.flatMap(CheckpointMessage::operation),
                message.flatMap(CheckpointMessage::state),
                message.flatMap(CheckpointMessage::raw),
                known.map(Checkpoint::special).orElse(List.of()));
        return Optional.of(commit(draft, List.of()));
    }

    /** A checkpoint before it has its number. */
    private Checkpoint draft(
            String tree,
            Optional<String> head,
            Optional<String> index,
            Optional<GitOperation> operation,
            Optional<String> state,
            Optional<String> raw,
            List<SpecialFile> special) {
        var message = new CheckpointMessage(
                w.run(), 0, why, head, gitDir.branch(), index, operation, state, raw, List.of(), special);
        return new Checkpoint(0, "", "", tree, Instant.ofEpochSecond(at.getEpochSecond()), message, true);
    }

    /** @param doubtful whether to search for missing objects of the index, even if git has reported none */
    private Checkpoint content(WorktreeScan scan, NeutralIndex index, Optional<String> head, boolean doubtful)
            throws IOException {
        var indexTree = index.writeTree();
        var lost = indexTree.ok() && !doubtful ? Set.<GitPath>of() : index.lost();
        scan.read(index, index.unhide(scan.root));
        var committed = committed(scan);
        var all = new TreeSet<>(scan.changed);
        all.addAll(committed);
        var conversions = FileConversions.of(git, all);
        var suspects = scan.changed.stream().filter(conversions::appliesTo).toList();
        if (!suspects.isEmpty()) scan.addUnchanged(index.times().unchanged(suspects, scan.root));
        scan.addLost(lost);
        var blobs = new BlobFiles(index.git(), index.dir());
        var entries = blobs.write(scan.root, scan.changed);
        var unreadable = new TreeSet<>(scan.changed);
        unreadable.removeAll(entries.keySet());
        scan.addUnreadable(unreadable);
        index.update(scan.deleted, entries, w.base().length());
        var tree = scan.deleted.isEmpty() && entries.isEmpty() && indexTree.ok()
                ? indexTree.line()
                : written(index.writeTree());
        var staged = lost.isEmpty() ? new StagedTree(indexTree.answer(), Set.of()) : stagedTree(scan.root);
        var mid = gitDir.operation();
        var others = blobs.write(
                scan.root,
                committed.stream()
                        .filter(conversions::appliesTo)
                        .filter(path -> !entries.containsKey(path))
                        .toList());
        return draft(
                tree,
                head,
                staged.tree(),
                mid,
                mid.isPresent() || scan.unmerged ? Optional.of(trees.ofGitState(scan.unmerged)) : Optional.empty(),
                others.isEmpty() ? Optional.empty() : Optional.of(trees.of(others)),
                special(entries, conversions, staged.lost()));
    }

    /** Files that the run added to git. Git may have stored them with other bytes than on disk. */
    private Set<GitPath> committed(WorktreeScan scan) {
        var paths = new TreeSet<>(scan.staged);
        var own = git.ask("diff-tree", "-r", "-z", "--no-renames", "--name-only", "--diff-filter=d", w.base(), "HEAD");
        if (own.ok())
            own.fields().stream().map(GitPath::new).filter(scan::isIncluded).forEach(paths::add);
        return paths;
    }

    /** The tree of the index, without entries whose objects are still missing after the files were written. */
    private record StagedTree(Optional<String> tree, Set<GitPath> lost) {}

    private StagedTree stagedTree(Path root) throws IOException {
        try (var index = NeutralIndex.copyOf(git, gitDir, root, Optional.empty(), w.base())) {
            var lost = index.lost();
            index.update(lost, Map.of(), w.base().length());
            return new StagedTree(index.writeTree().answer(), lost);
        }
    }

    private static String written(GitReply reply) {
        if (!reply.ok()) throw Git.failed(reply, "write-tree");
        return reply.line();
    }

    private static List<SpecialFile> special(
            Map<GitPath, TreeWriter.TreeEntry> entries, FileConversions conversions, Set<GitPath> lost) {
        var special = new ArrayList<SpecialFile>();
        entries.forEach((path, entry) -> conversions
                .special(path, entry.mode().equals("120000"))
                .ifPresent(reason -> special.add(new SpecialFile(path.text(), reason))));
        lost.forEach(path -> special.add(new SpecialFile(path.text(), SpecialFile.SpecialReason.LOST_OBJECT)));
        return special;
    }

    private Checkpoint commit(Checkpoint draft, List<OmittedFile> leftOut) {
        var content = draft.message();
        var refs = CheckpointRefs.of(git, w).withoutBroken(git, w);
        var last = refs.last().flatMap(ref -> CheckpointRefs.read(git, w, ref));
        var parents = new ArrayList<String>();
        content.head().ifPresent(parents::add);
        refs.last().ifPresent(ref -> parents.add(ref.commit()));
        var known = List.copyOf(parents);
        var tips = unreferenced(parents);
        if (tips.isEmpty()
                && last.isPresent()
                && draft.tree().equals(last.get().tree())
                && content.hasSameContent(last.get().message()))
            return last.get().with(leftOut);
        content.index()
                .filter(tree -> !tree.equals(draft.tree()))
                .ifPresent(tree -> parents.add(
                        bare("roost index", tree, content.head().stream().toList())));
        content.state().ifPresent(tree -> parents.add(bare("roost state", tree, List.of())));
        content.raw().ifPresent(tree -> parents.add(bare("roost raw", tree, List.of())));
        parents.addAll(mergeParents(draft.tree(), tips));
        for (int n = refs.last().map(CheckpointRefs.CheckpointRef::n).orElse(0) + 1; ; n++) {
            var message = content.with(n, leftOut);
            var commit = bare(message.text(), draft.tree(), parents);
            var ref = w.refs() + n;
            var made = git.createRef(ref, commit);
            if (made.ok()) Git.awaitGc(w.common());
            if (made.ok() && !CheckpointRefs.isWhole(git, commit, known)) {
                git.ask("update-ref", "-d", ref, commit);
                throw ErrorCode.CHECKPOINT_FAILED.error("A git gc in the repository removed objects meanwhile.");
            }
            if (made.ok()) return new Checkpoint(n, ref, commit, draft.tree(), draft.at(), message, true);
            if (!git.ask("rev-parse", "--verify", "--quiet", ref).ok()) throw Git.failed(made, "update-ref");
        }
    }

    /**
     * The tips of the commits that only the log or refs of the worktree lead to, and not {@code held}. Git would lose them with
     * the worktree.
     */
    private List<String> unreferenced(List<String> held) {
        var wanted = new LinkedHashSet<>(gitDir.commits());
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

    /** Groups parents under intermediate commits, so that no commit has too many. */
    private List<String> mergeParents(String tree, List<String> tips) {
        var rest = tips;
        while (rest.size() > MOST_PARENTS) {
            var bundles = new ArrayList<String>();
            for (int i = 0; i < rest.size(); i += MOST_PARENTS)
                bundles.add(bare("roost tips", tree, rest.subList(i, Math.min(rest.size(), i + MOST_PARENTS))));
            rest = bundles;
        }
        return rest;
    }

    private String bare(String message, String tree, List<String> parents) {
        var words = new ArrayList<>(List.of("commit-tree", tree));
        for (var parent : parents) words.addAll(List.of("-p", parent));
        words.addAll(List.of("-F", "-"));
        var date = "@" + at.getEpochSecond() + " +0000";
        return git.with("GIT_AUTHOR_NAME", "roost")
                .with("GIT_AUTHOR_EMAIL", "roost@localhost")
                .with("GIT_AUTHOR_DATE", date)
                .with("GIT_COMMITTER_NAME", "roost")
                .with("GIT_COMMITTER_EMAIL", "roost@localhost")
                .with("GIT_COMMITTER_DATE", date)
                .given(message.getBytes(StandardCharsets.UTF_8))
                .line(words.toArray(String[]::new));
    }
}
