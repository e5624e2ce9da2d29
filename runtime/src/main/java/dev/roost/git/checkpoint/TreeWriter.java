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

/** Writes trees with temporary indexes beside the worktree's index. */
public record TreeWriter(Git git, WorktreeGitDir gitDir) {

    /** An entry of a tree: its mode and its blob. */
    public record TreeEntry(String mode, String oid) {

        boolean isFile() {
            return mode.startsWith("100");
        }
    }

    /** A temporary index. */
    record IndexCopy(Git git, Path file) implements AutoCloseable {

        @Override
        public void close() throws IOException {
            Files.deleteIfExists(file);
            Files.deleteIfExists(file.resolveSibling(file.getFileName() + ".lock"));
        }
    }

    /** Deletes the temporary indexes of a killed daemon. The caller holds the lock of the worktree. */
    void clear() {
        try {
            for (var file : SafeMove.children(gitDir.dir()))
                if (file.getFileName().toString().startsWith(WorktreeGitDir.OWN_INDEX)) SafeMove.delete(file);
        } catch (IOException e) {
            // leftovers only use disk space
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

    /** Formats entries for {@code git update-index --index-info}. */
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

    /** Writes git's files of an unfinished rebase or merge; also the index, if a tree cannot represent it. */
    String ofGitState(boolean withIndex) throws IOException {
        var files = new ArrayList<>(gitDir.state());
        if (withIndex) files.add(gitDir.index());
        var blobs = new BlobFiles(git.at(gitDir.dir()), gitDir.dir()).ids(files);
        var leaves = new TreeMap<GitPath, TreeEntry>();
        for (int i = 0; i < files.size(); i++) {
            var path = GitPath.of(gitDir.dir(), files.get(i));
            blobs.get(i).ifPresent(oid -> leaves.put(path, new TreeEntry("100644", oid)));
        }
        return of(leaves);
    }

    /** All entries of a tree and its subtrees. */
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
