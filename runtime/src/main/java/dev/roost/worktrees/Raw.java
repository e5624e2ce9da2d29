package dev.roost.worktrees;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Files whose bytes git changes on their way in: line ends, encodings, filters. Their own bytes are kept beside. */
record Raw(Git git, Trees trees) {

    private static final Set<String> NOTHING = Set.of("unspecified", "unset");

    /**
     * All of them, also where git takes the bytes as they are: on the way out it may still change them.
     *
     * @param paths regular files that are new or changed
     */
    Optional<String> tree(Set<GitPath> paths) throws IOException {
        var filtered = filtered(paths);
        if (filtered.isEmpty()) return Optional.empty();
        var root = Path.of(git.line("rev-parse", "--show-toplevel"));
        var there = filtered.stream()
                .filter(path -> Files.isRegularFile(path.in(root)))
                .toList();
        var blobs = trees.blobs(there.stream().map(path -> path.in(root)).toList());
        var leaves = new TreeMap<GitPath, Trees.Leaf>();
        for (int i = 0; i < there.size(); i++) {
            var path = there.get(i);
            leaves.put(path, new Trees.Leaf(Moving.isProgram(path.in(root)) ? "100755" : "100644", blobs.get(i)));
        }
        return leaves.isEmpty() ? Optional.empty() : Optional.of(trees.of(leaves));
    }

    private List<GitPath> filtered(Set<GitPath> paths) {
        if (paths.isEmpty()) return List.of();
        var setting = git.ask("config", "--get", "core.autocrlf");
        boolean crlf = setting.ok() && !setting.line().equals("false");
        var fields = git.given(paths)
                .run("check-attr", "-z", "--stdin", "text", "crlf", "eol", "ident", "filter", "working-tree-encoding")
                .fields();
        var found = new ArrayList<GitPath>();
        for (int i = 0; i + 2 < fields.size(); i += 3) {
            var path = new GitPath(fields.get(i));
            boolean text = crlf
                    && fields.get(i + 1).equals("text")
                    && !fields.get(i + 2).equals("unset");
            boolean known = !found.isEmpty() && found.getLast().equals(path);
            if (!known && (text || !NOTHING.contains(fields.get(i + 2)))) found.add(path);
        }
        return found;
    }

    /** Blobs by their ids, each written where it belongs. */
    static void write(Git git, Map<GitPath, Trees.Leaf> leaves, Path root) throws IOException {
        for (var leaf : leaves.entrySet()) {
            var bytes = git.run("cat-file", "blob", leaf.getValue().oid()).out().getBytes(StandardCharsets.ISO_8859_1);
            var file = leaf.getKey().in(root);
            Files.createDirectories(file.getParent());
            Files.deleteIfExists(file);
            Files.write(file, bytes);
            if (leaf.getValue().mode().equals("100755")) file.toFile().setExecutable(true, false);
        }
    }
}
