package dev.roost.git.checkpoint;

import dev.roost.git.Git;
import dev.roost.git.GitPath;
import dev.roost.git.GitReply;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/** Reads blobs in bulk, and writes them as files, byte for byte. */
final class BlobReader {

    private static final long MOST_AT_ONCE = 64L << 20;

    private BlobReader() {}

    /** Writes each blob to its path. */
    static void write(Git git, Map<GitPath, TreeWriter.TreeEntry> leaves, Path root) throws IOException {
        var sizes = sizes(
                git, leaves.values().stream().map(TreeWriter.TreeEntry::oid).toList());
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

    /** The sizes of the objects that exist. */
    static Map<String, Long> sizes(Git git, Collection<String> oids) {
        var sizes = new HashMap<String, Long>();
        for (var line : git.given(lines(oids)).run("cat-file", "--batch-check").lines()) {
            var words = GitReply.pieces(line, ' ');
            if (words.size() == 3) sizes.put(words.get(0), Long.parseLong(words.get(2)));
        }
        return sizes;
    }

    private static byte[] lines(Collection<String> oids) {
        var text = new StringBuilder();
        oids.forEach(oid -> text.append(oid).append('\n'));
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** Uses one git process for all of them, because there may be a hundred thousand. */
    private static void write(Git git, List<Map.Entry<GitPath, TreeWriter.TreeEntry>> some, Path root)
            throws IOException {
        var output = git.given(
                        lines(some.stream().map(leaf -> leaf.getValue().oid()).toList()))
                .run("cat-file", "--batch")
                .out();
        int at = 0;
        for (var leaf : some) {
            int line = output.indexOf('\n', at);
            var words = GitReply.pieces(output.substring(at, Math.max(at, line)), ' ');
            if (words.size() != 3)
                throw new IOException(
                        "%s is not in the repository".formatted(leaf.getValue().oid()));
            int end = line + 1 + Integer.parseInt(words.get(2));
            put(leaf, output.substring(line + 1, end).getBytes(StandardCharsets.ISO_8859_1), root);
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
