package dev.roost.git.checkpoint;

import dev.roost.git.Git;
import dev.roost.git.GitPath;
import dev.roost.git.GitReply;
import dev.roost.git.SafeMove;
import dev.roost.git.WorktreeGitDir;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import java.util.UUID;

/** Makes trees by way of indexes of our own, which lie beside git's and go when they are done with. */
public record TreeWriter(Git git, WorktreeGitDir gitDir) {

    /** An entry of a tree: its mode and its blob. */
    public record TreeEntry(String mode, String oid) {}

    /** An index of our own. */
    record IndexCopy(Git git, Path file) implements AutoCloseable {

        /** Files that git was told not to look at are looked at. */
        void unhide(Path root) {
            var assumed = new ArrayList<GitPath>();
            var skipped = new ArrayList<GitPath>();
            for (var line : git.run("ls-files", "-v", "-z").fields()) {
                char tag = line.charAt(0);
                if (tag == 'H') continue;
                var path = new GitPath(line.substring(2));
                if (tag >= 'a' && tag <= 'z') assumed.add(path);
                boolean there = (tag == 'S' || tag == 's') && Files.exists(path.in(root), LinkOption.NOFOLLOW_LINKS);
                if (there) skipped.add(path);
            }
            if (!assumed.isEmpty()) git.given(assumed).run("update-index", "--no-assume-unchanged", "-z", "--stdin");
            if (!skipped.isEmpty()) git.given(skipped).run("update-index", "--no-skip-worktree", "-z", "--stdin");
        }

        void delete(List<GitPath> paths, int digits) {
            var text = new StringBuilder();
            for (var path : paths)
                text.append("0 ")
                        .append("0".repeat(digits))
                        .append('\t')
                        .append(path.raw())
                        .append('\0');
            git.given(text.toString().getBytes(StandardCharsets.ISO_8859_1)).run("update-index", "-z", "--index-info");
        }

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
                if (file.getFileName().toString().startsWith(WorktreeGitDir.OWN_INDEX)) Files.deleteIfExists(file);
        } catch (IOException e) {
            // they take up room, no more
        }
    }

    IndexCopy empty() {
        var file = gitDir.dir().resolve(WorktreeGitDir.OWN_INDEX + UUID.randomUUID());
        return new IndexCopy(git.withIndex(file), file);
    }

    IndexCopy copyOfIndex() throws IOException {
        var copy = empty();
        if (Files.exists(gitDir.index())) SafeMove.copyIndex(gitDir.index(), copy.file());
        return copy;
    }

    String of(Map<GitPath, TreeEntry> leaves) throws IOException {
        var text = new StringBuilder();
        leaves.forEach((path, leaf) -> text.append(leaf.mode())
                .append(' ')
                .append(leaf.oid())
                .append('\t')
                .append(path.raw())
                .append('\0'));
        try (var copy = empty()) {
            copy.git()
                    .given(text.toString().getBytes(StandardCharsets.ISO_8859_1))
                    .run("update-index", "--add", "-z", "--index-info");
            return copy.git().line("write-tree");
        }
    }

    /** The files of a rebase or merge that is going on; the index too, where a tree cannot say what is in it. */
    String ofGitState(boolean withIndex) throws IOException {
        var files = new ArrayList<>(gitDir.state());
        if (withIndex) files.add(gitDir.index());
        var blobs = blobs(files);
        var leaves = new TreeMap<GitPath, TreeEntry>();
        for (int i = 0; i < files.size(); i++)
            leaves.put(GitPath.of(gitDir.dir(), files.get(i)), new TreeEntry("100644", blobs.get(i)));
        return of(leaves);
    }

    /** The blobs of these files, byte for byte. */
    List<String> blobs(List<Path> files) {
        var names = new StringBuilder();
        for (var file : files)
            names.append(quoted(GitPath.of(Path.of("/"), file))).append('\n');
        return git.at(gitDir.dir())
                .given(names.toString().getBytes(StandardCharsets.ISO_8859_1))
                .run("hash-object", "-w", "--no-filters", "--stdin-paths")
                .lines();
    }

    /** As git reads a name from a line. */
    private static String quoted(GitPath path) {
        var text = new StringBuilder("\"/");
        for (int i = 0; i < path.raw().length(); i++) {
            char c = path.raw().charAt(i);
            if (c > ' ' && c < 127 && c != '"' && c != '\\') text.append(c);
            else text.append('\\').append("%03o".formatted((int) c));
        }
        return text.append('"').toString();
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
