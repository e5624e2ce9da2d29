package dev.roost.git.checkpoint;

import dev.roost.git.Git;
import dev.roost.git.GitPath;
import dev.roost.git.GitReply;
import dev.roost.git.SafeMove;
import dev.roost.git.WorktreeGitDir;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Makes trees by way of indexes of our own, which lie beside git's and go when they are done with. */
public record TreeWriter(Git git, WorktreeGitDir gitDir) {

    /** An entry of a tree: its mode and its blob. */
    public record TreeEntry(String mode, String oid) {

        boolean isFile() {
            return mode.startsWith("100");
        }
    }

    /** An index of our own. */
    record IndexCopy(Git git, Path file) implements AutoCloseable {

        @Override
        public void close() throws IOException {
            Files.deleteIfExists(file);
            Files.deleteIfExists(file.resolveSibling(file.getFileName() + ".lock"));
        }
    }

    /** A daemon that was killed left its own behind; nobody else works on this worktree now. */
    void clear() {
        try {
            for (var file : SafeMove.children(gitDir.dir()))
                if (file.getFileName().toString().startsWith(WorktreeGitDir.OWN_INDEX)) SafeMove.delete(file);
        } catch (IOException e) {
            // they take up room, no more
        }
    }

    IndexCopy empty() {
        var file = gitDir.dir().resolve(WorktreeGitDir.OWN_INDEX + UUID.randomUUID());
        return new IndexCopy(git.withIndex(file), file);
    }

    String of(Map<GitPath, TreeEntry> leaves) throws IOException {
        try (var copy = empty()) {
            copy.git()
                    .given(lines(leaves).getBytes(StandardCharsets.ISO_8859_1))
                    .run("update-index", "--add", "-z", "--index-info");
            return copy.git().line("write-tree");
        }
    }

    /** As {@code git update-index --index-info} reads them. */
    static String lines(Map<GitPath, TreeEntry> leaves) {
        var text = new StringBuilder();
        leaves.forEach((path, leaf) -> text.append(leaf.mode())
                .append(' ')
                .append(leaf.oid())
                .append('\t')
                .append(path.raw())
                .append('\0'));
        return text.toString();
    }

    /** The files of a rebase or merge that is going on; the index too, where a tree cannot say what is in it. */
    String ofGitState(boolean withIndex) throws IOException {
        var files = new ArrayList<>(gitDir.state());
        if (withIndex) files.add(gitDir.index());
        var blobs = new BlobWriter(git.at(gitDir.dir()), gitDir.dir()).ids(files);
        var leaves = new TreeMap<GitPath, TreeEntry>();
        for (int i = 0; i < files.size(); i++) {
            var path = GitPath.of(gitDir.dir(), files.get(i));
            blobs.get(i).ifPresent(oid -> leaves.put(path, new TreeEntry("100644", oid)));
        }
        return of(leaves);
    }

    /** Everything in a tree. */
    public static Map<GitPath, TreeEntry> list(Git git, String tree) {
        var leaves = new TreeMap<GitPath, TreeEntry>();
        for (var line : git.run("ls-tree", "-r", "-z", tree).fields()) {
            int tab = line.indexOf('\t');
            var words = GitReply.pieces(line.substring(0, tab), ' ');
            leaves.put(new GitPath(line.substring(tab + 1)), new TreeEntry(words.get(0), words.get(2)));
        }
        return leaves;
    }
}
