package dev.roost.git.checkpoint;

import dev.roost.git.Git;
import dev.roost.git.GitPath;
import dev.roost.git.GitReply;
import dev.roost.git.WorktreeGitDir;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/** Fills an empty worktree with what a checkpoint holds: files, index, and what git was in the middle of. */
public record CheckpointCheckout(Git git, WorktreeGitDir gitDir, Path root) {

    public void fill(CheckpointRefs.CheckpointDetails rescue, KeptFiles kept, boolean home) throws IOException {
        boolean belongs = kept.belongsTo(rescue.ref().commit());
        if (belongs) kept.restoreGit(gitDir, home);
        boolean indexed = belongs && Files.exists(gitDir.index());
        var sparse = git.ask("config", "--bool", "core.sparseCheckout");
        if (sparse.ok() && sparse.line().equals("true")) fillSparse(rescue, indexed);
        else fillAll(rescue.parsed().tree());
        rescue.message().raw().ifPresent(tree -> write(tree, root));
        if (!indexed) index(rescue);
    }

    private void fillAll(String tree) throws IOException {
        try (var copy = new TreeWriter(git, gitDir).empty()) {
            copy.git().run("read-tree", tree);
            copy.git().run("checkout-index", "--all", "--force");
        }
    }

    /** Files outside of the cone stay out, unless they were changed there. */
    private void fillSparse(CheckpointRefs.CheckpointDetails rescue, boolean indexed) throws IOException {
        var tree = TreeWriter.list(git, rescue.parsed().tree());
        if (!indexed) {
            git.run(
                    "read-tree",
                    "--reset",
                    "-u",
                    rescue.message().index().orElse(rescue.parsed().tree()));
        }
        var skipped = new HashMap<GitPath, String>();
        for (var line : git.run("ls-files", "-t", "-s", "-z").fields()) {
            int tab = line.indexOf('\t');
            var path = new GitPath(line.substring(tab + 1));
            if (line.charAt(0) == 'S')
                skipped.put(path, GitReply.pieces(line.substring(0, tab), ' ').get(2));
            else if (!tree.containsKey(path)) Files.deleteIfExists(path.in(root));
        }
        var wanted = new ArrayList<GitPath>();
        tree.forEach((path, leaf) -> {
            if (!leaf.oid().equals(skipped.get(path))) wanted.add(path);
        });
        try (var copy = new TreeWriter(git, gitDir).empty()) {
            copy.git().run("read-tree", rescue.parsed().tree());
            copy.git().given(wanted).run("checkout-index", "--force", "-z", "--stdin");
        }
    }

    /** The index, and git's files about a rebase or merge, from the checkpoint alone. */
    public void index(CheckpointRefs.CheckpointDetails rescue) {
        var said = rescue.message();
        said.state().ifPresent(tree -> write(tree, gitDir.dir()));
        var sparse = git.ask("config", "--bool", "core.sparseCheckout");
        boolean done = sparse.ok() && sparse.line().equals("true") && Files.exists(gitDir.index());
        if (said.index().isPresent() && !done) git.run("read-tree", said.index().get());
        else if (!Files.exists(gitDir.index()))
            git.run("read-tree", said.head().orElse(rescue.parsed().tree()));
    }

    private void write(String tree, Path where) {
        try {
            UnfilteredFiles.write(git, TreeWriter.list(git, tree), where);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    public static List<GitPath> names(Git git, String tree) {
        return List.copyOf(TreeWriter.list(git, tree).keySet());
    }
}
