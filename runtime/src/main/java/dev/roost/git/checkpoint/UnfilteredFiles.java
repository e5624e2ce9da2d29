package dev.roost.git.checkpoint;

import dev.roost.git.Git;
import dev.roost.git.GitPath;
import dev.roost.git.GitReply;
import dev.roost.git.SafeMove;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeMap;

/** Files whose bytes git changes on their way in: line ends, encodings, filters. Their own bytes are kept beside. */
record UnfilteredFiles(Git git, TreeWriter trees) {

    private static final long MOST_AT_ONCE = 64L << 20;
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
        var leaves = new TreeMap<GitPath, TreeWriter.TreeEntry>();
        for (int i = 0; i < there.size(); i++) {
            var path = there.get(i);
            leaves.put(
                    path,
                    new TreeWriter.TreeEntry(SafeMove.isProgram(path.in(root)) ? "100755" : "100644", blobs.get(i)));
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
    static void write(Git git, Map<GitPath, TreeWriter.TreeEntry> leaves, Path root) throws IOException {
        var sizes = sizes(git, leaves.values());
        var some = new ArrayList<Map.Entry<GitPath, TreeWriter.TreeEntry>>();
        long bytes = 0;
        for (var leaf : leaves.entrySet()) {
            long size = sizes.getOrDefault(leaf.getValue().oid(), 0L);
            if (!some.isEmpty() && bytes + size > MOST_AT_ONCE) {
                write(git, some, root);
                some.clear();
                bytes = 0;
            }
            some.add(leaf);
            bytes += size;
        }
        write(git, some, root);
    }

    private static Map<String, Long> sizes(Git git, Collection<TreeWriter.TreeEntry> leaves) {
        var sizes = new HashMap<String, Long>();
        for (var line : git.given(oids(leaves)).run("cat-file", "--batch-check").lines()) {
            var words = GitReply.pieces(line, ' ');
            if (words.size() == 3) sizes.put(words.get(0), Long.parseLong(words.get(2)));
        }
        return sizes;
    }

    private static byte[] oids(Collection<TreeWriter.TreeEntry> leaves) {
        var text = new StringBuilder();
        leaves.forEach(leaf -> text.append(leaf.oid()).append('\n'));
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** One git for all of them: there may be a hundred thousand. */
    private static void write(Git git, List<Map.Entry<GitPath, TreeWriter.TreeEntry>> some, Path root)
            throws IOException {
        var said = git.given(oids(some.stream().map(Map.Entry::getValue).toList()))
                .run("cat-file", "--batch")
                .out();
        int at = 0;
        for (var leaf : some) {
            int line = said.indexOf('\n', at);
            var words = GitReply.pieces(said.substring(at, Math.max(at, line)), ' ');
            if (words.size() != 3)
                throw new IOException(
                        "%s is not in the repository".formatted(leaf.getValue().oid()));
            int end = line + 1 + Integer.parseInt(words.get(2));
            put(leaf, said.substring(line + 1, end).getBytes(StandardCharsets.ISO_8859_1), root);
            at = end + 1;
        }
    }

    private static void put(Map.Entry<GitPath, TreeWriter.TreeEntry> leaf, byte[] bytes, Path root) throws IOException {
        var file = leaf.getKey().in(root);
        Files.createDirectories(file.getParent());
        Files.deleteIfExists(file);
        Files.write(file, bytes);
        if (leaf.getValue().mode().equals("100755")) file.toFile().setExecutable(true, false);
    }
}
