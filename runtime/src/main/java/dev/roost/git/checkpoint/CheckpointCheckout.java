package dev.roost.git.checkpoint;

import dev.roost.git.Git;
import dev.roost.git.GitPath;
import dev.roost.git.GitReply;
import dev.roost.git.WorktreeGitDir;
import dev.roost.git.checkpoint.TreeWriter.TreeEntry;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;

/**
 * Fills an empty worktree from a checkpoint: its files, its index, and git's files of an unfinished operation.
 *
 * @param base the commit from which the run started
 */
public record CheckpointCheckout(Git git, WorktreeGitDir gitDir, Path root, String base) {

    public void fill(Checkpoint rescue, KeptFiles kept, boolean home) throws IOException {
        boolean belongs = kept.belongsTo(rescue.commit());
        if (belongs) kept.restoreGit(gitDir, home);
        boolean indexed = belongs && Files.exists(gitDir.index());
        var tree = TreeWriter.list(git, rescue.tree());
        if (isSparse()) fillSparse(rescue, tree, indexed);
        else write(tree, rescue.tree());
        rescue.message().raw().ifPresent(raw -> write(raw, root));
        if (!indexed) index(rescue);
    }

    private boolean isSparse() {
        var sparse = git.ask("config", "--bool", "core.sparseCheckout");
        return sparse.ok() && sparse.line().equals("true");
    }

    /** Skips files outside the sparse cone, except changed ones. */
    private void fillSparse(Checkpoint rescue, Map<GitPath, TreeEntry> tree, boolean indexed) throws IOException {
        if (!indexed) {
            withoutFilters()
                    .run("read-tree", "--reset", "-u", rescue.message().index().orElse(rescue.tree()));
        }
        var skipped = new HashMap<GitPath, String>();
        for (var line : git.run("ls-files", "-t", "-s", "-z").fields()) {
            int tab = line.indexOf('\t');
            var path = new GitPath(line.substring(tab + 1));
            if (line.charAt(0) == 'S')
                skipped.put(path, GitReply.pieces(line.substring(0, tab), ' ').get(2));
            else if (!tree.containsKey(path)) Files.deleteIfExists(path.in(root));
        }
        var wanted = new TreeMap<GitPath, TreeEntry>();
        tree.forEach((path, leaf) -> {
            if (!leaf.oid().equals(skipped.get(path))) wanted.put(path, leaf);
        });
        write(wanted, rescue.tree());
    }

    /**
     * Lets git write the files that equal the base, with the base's attributes, as when the worktree was created. Writes all
     * others byte for byte.
     */
    private void write(Map<GitPath, TreeEntry> wanted, String tree) throws IOException {
        var bytes = new ArrayList<GitPath>();
        var asInBase = new ArrayList<GitPath>();
        var old = git.ask("cat-file", "-e", base + "^{tree}").ok()
                ? TreeWriter.list(git, base)
                : Map.<GitPath, TreeEntry>of();
        wanted.forEach((path, leaf) -> {
            if (leaf.isFile() && leaf.equals(old.get(path))) asInBase.add(path);
            else bytes.add(path);
        });
        if (!asInBase.isEmpty() && !checkOut(git, asInBase) && !checkOut(withoutFilters(), asInBase))
            bytes.addAll(asInBase);
        if (bytes.isEmpty()) return;
        try (var index = NeutralIndex.empty(git, gitDir, root, tree)) {
            index.git().run("read-tree", tree);
            index.git().given(bytes).run("checkout-index", "--force", "-z", "--stdin");
        }
    }

    private boolean checkOut(Git with, List<GitPath> paths) throws IOException {
        try (var copy = new TreeWriter(with, gitDir).empty()) {
            copy.git().run("read-tree", base);
            return copy.git()
                    .given(paths)
                    .ask("checkout-index", "--force", "-z", "--stdin")
                    .ok();
        }
    }

    /** Disables filters, because git writes no file if the program of a required filter is missing. */
    private Git withoutFilters() {
        var settings = new ArrayList<String>();
        for (var field : git.ask(
                        "config", "-z", "--name-only", "--get-regexp", "^filter\\..*\\.(smudge|process|required)$")
                .fields()) settings.add(field);
        var quiet = git.with("GIT_CONFIG_COUNT", String.valueOf(settings.size()));
        for (int i = 0; i < settings.size(); i++)
            quiet = quiet.with("GIT_CONFIG_KEY_" + i, settings.get(i))
                    .with("GIT_CONFIG_VALUE_" + i, settings.get(i).endsWith(".required") ? "false" : "");
        return quiet;
    }

    /** Restores the index and git's files of a rebase or merge from the checkpoint. */
    public void index(Checkpoint rescue) {
        var message = rescue.message();
        message.state().ifPresent(tree -> write(tree, gitDir.dir()));
        boolean done = isSparse() && Files.exists(gitDir.index());
        if (message.index().isPresent() && !done)
            git.run("read-tree", message.index().get());
        else if (!Files.exists(gitDir.index()))
            git.run("read-tree", message.head().orElse(rescue.tree()));
    }

    private void write(String tree, Path where) {
        try {
            BlobFiles.write(git, TreeWriter.list(git, tree), where);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    public static List<GitPath> names(Git git, String tree) {
        return List.copyOf(TreeWriter.list(git, tree).keySet());
    }
}
