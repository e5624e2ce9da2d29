package dev.roost.git.checkpoint;

import dev.roost.git.Git;
import dev.roost.git.GitPath;
import dev.roost.git.GitReply;
import dev.roost.git.SafeMove;
import dev.roost.git.checkpoint.TreeWriter.TreeEntry;
import java.io.IOException;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;

/**
 * Writes files as blobs and blobs as files, byte for byte: no attribute applies. Skips files that cannot be read.
 *
 * @param scratch an existing directory for temporary files
 */
record BlobFiles(Git git, Path scratch) {

    private static final int MOST_TRIES = 3;
    private static final long MOST_AT_ONCE = 64L << 20;

    /** Returns the tree entries of these files and links, without missing and unreadable ones. */
    Map<GitPath, TreeEntry> write(Path root, Collection<GitPath> paths) throws IOException {
        var names = new ArrayList<GitPath>();
        var modes = new ArrayList<String>();
        var sources = new ArrayList<Path>();
        for (var path : paths) {
            var file = path.in(root);
            try {
                if (Files.isSymbolicLink(file)) {
                    var bytes = GitPath.ofLink(file).bytes();
                    sources.add(Files.write(scratch.resolve("link-" + sources.size()), bytes));
                    modes.add("120000");
                } else if (Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)) {
                    modes.add(SafeMove.isProgram(file) ? "100755" : "100644");
                    sources.add(file);
                } else {
                    continue;
                }
                names.add(path);
            } catch (java.nio.file.NoSuchFileException e) {
                // deleted since the scan
            }
        }
        var ids = ids(sources);
        var entries = new TreeMap<GitPath, TreeEntry>();
        for (int i = 0; i < names.size(); i++) {
            var path = names.get(i);
            var mode = modes.get(i);
            ids.get(i).ifPresent(oid -> entries.put(path, new TreeEntry(mode, oid)));
        }
        return entries;
    }

    /** The blob of each file. Git stops at the first file that it cannot read, and is run again for the rest. */
    List<Optional<String>> ids(List<Path> files) {
        var ids = new ArrayList<Optional<String>>();
        int tries = 0;
        while (ids.size() < files.size()) {
            var reply = git.given(lines(files.subList(ids.size(), files.size())))
                    .ask("hash-object", "-w", "--no-filters", "--stdin-paths");
            if (reply.exit() == GitReply.LATE) throw Git.failed(reply, "hash-object");
            var lines = reply.lines();
            for (var line : lines) ids.add(Optional.of(line));
            if (reply.ok()) break;
            tries = lines.isEmpty() ? tries + 1 : 1;
            if (isReadable(files.get(ids.size()))) {
                if (tries == MOST_TRIES) throw Git.failed(reply, "hash-object"); // for example, the disk is full
            } else {
                ids.add(Optional.empty());
                tries = 0;
            }
        }
        return ids;
    }

    private static boolean isReadable(Path file) {
        if (!Files.isRegularFile(file)) return false;
        try (var in = Files.newInputStream(file)) {
            in.transferTo(OutputStream.nullOutputStream());
            return true;
        } catch (IOException e) {
            return false;
        }
    }

    private static byte[] lines(List<Path> files) {
        var names = new StringBuilder();
        for (var file : files)
            names.append(quoted(GitPath.of(Path.of("/"), file))).append('\n');
        return names.toString().getBytes(StandardCharsets.ISO_8859_1);
    }

    /** Quotes a path so that git can read it from a line. */
    private static String quoted(GitPath path) {
        var text = new StringBuilder("\"/");
        for (int i = 0; i < path.raw().length(); i++) {
            char c = path.raw().charAt(i);
            if (c > ' ' && c < 127 && c != '"' && c != '\\') text.append(c);
            else text.append('\\').append("%03o".formatted((int) c));
        }
        return text.append('"').toString();
    }

    /** Writes each blob to its path. */
    static void write(Git git, Map<GitPath, TreeEntry> leaves, Path root) throws IOException {
        var sizes = sizes(git, leaves.values().stream().map(TreeEntry::oid).toList());
        var some = new ArrayList<Map.Entry<GitPath, TreeEntry>>();
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
        for (var line : git.given(ids(oids)).run("cat-file", "--batch-check").lines()) {
            var words = GitReply.pieces(line, ' ');
            if (words.size() == 3) sizes.put(words.get(0), Long.parseLong(words.get(2)));
        }
        return sizes;
    }

    private static byte[] ids(Collection<String> oids) {
        var text = new StringBuilder();
        oids.forEach(oid -> text.append(oid).append('\n'));
        return text.toString().getBytes(StandardCharsets.US_ASCII);
    }

    /** Uses one git process for all of them, because there may be a hundred thousand. */
    private static void write(Git git, List<Map.Entry<GitPath, TreeEntry>> some, Path root) throws IOException {
        var output = git.given(
                        ids(some.stream().map(leaf -> leaf.getValue().oid()).toList()))
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

    private static void put(Map.Entry<GitPath, TreeEntry> leaf, byte[] bytes, Path root) throws IOException {
        var file = leaf.getKey().in(root);
        Files.createDirectories(file.getParent());
        Files.deleteIfExists(file);
        Files.write(file, bytes);
        if (leaf.getValue().mode().equals("100755")) file.toFile().setExecutable(true, false);
    }
}
