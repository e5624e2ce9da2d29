package dev.roost.worktrees;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;

/** Fills an empty worktree with what a checkpoint holds: files, index, and what git was in the middle of. */
record Filling(Git git, Admin admin, Path root) {

    void fill(Rescues.Known rescue, Kept kept, boolean home) throws IOException {
        boolean belongs = kept.belongsTo(rescue.ref().commit());
        if (belongs) kept.giveGitBack(admin, home);
        boolean indexed = belongs && Files.exists(admin.index());
        var sparse = git.ask("config", "--bool", "core.sparseCheckout");
        if (sparse.ok() && sparse.line().equals("true")) sparsely(rescue, indexed);
        else wholly(rescue.parsed().tree());
        rescue.message().raw().ifPresent(tree -> write(tree, root));
        if (!indexed) index(rescue);
    }

    private void wholly(String tree) throws IOException {
        try (var copy = new Trees(git, admin).empty()) {
            copy.git().run("read-tree", tree);
            copy.git().run("checkout-index", "--all", "--force");
        }
    }

    /** Files outside of the cone stay out, unless they were changed there. */
    private void sparsely(Rescues.Known rescue, boolean indexed) throws IOException {
        var tree = Trees.list(git, rescue.parsed().tree());
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
                skipped.put(path, Reply.pieces(line.substring(0, tab), ' ').get(2));
            else if (!tree.containsKey(path)) Files.deleteIfExists(path.in(root));
        }
        var wanted = new ArrayList<GitPath>();
        tree.forEach((path, leaf) -> {
            if (!leaf.oid().equals(skipped.get(path))) wanted.add(path);
        });
        try (var copy = new Trees(git, admin).empty()) {
            copy.git().run("read-tree", rescue.parsed().tree());
            copy.git().given(wanted).run("checkout-index", "--force", "-z", "--stdin");
        }
    }

    /** The index, and git's files about a rebase or merge, from the checkpoint alone. */
    void index(Rescues.Known rescue) {
        var said = rescue.message();
        said.state().ifPresent(tree -> write(tree, admin.dir()));
        var sparse = git.ask("config", "--bool", "core.sparseCheckout");
        boolean done = sparse.ok() && sparse.line().equals("true") && Files.exists(admin.index());
        if (said.index().isPresent() && !done) git.run("read-tree", said.index().get());
        else if (!Files.exists(admin.index()))
            git.run("read-tree", said.head().orElse(rescue.parsed().tree()));
    }

    private void write(String tree, Path where) {
        try {
            Raw.write(git, Trees.list(git, tree), where);
        } catch (IOException e) {
            throw new java.io.UncheckedIOException(e);
        }
    }

    static List<GitPath> names(Git git, String tree) {
        return List.copyOf(Trees.list(git, tree).keySet());
    }
}
