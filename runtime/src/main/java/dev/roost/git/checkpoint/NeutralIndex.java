package dev.roost.git.checkpoint;

import dev.roost.git.Git;
import dev.roost.git.GitPath;
import dev.roost.git.GitReply;
import dev.roost.git.SafeMove;
import dev.roost.git.StatusEntry;
import dev.roost.git.WorktreeGitDir;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.UUID;
import java.util.regex.Pattern;

/**
 * An index in a temporary git directory, over the repository's objects and the worktree's files. No attribute, filter or
 * setting of the repository applies to it: a file's blob is the file's bytes.
 */
record NeutralIndex(Git git, Path dir, Path objects) implements AutoCloseable {

    /** Overrides every .gitattributes. */
    private static final Pattern SHARED = Pattern.compile("[A-Za-z0-9]{1,16}");

    private static final String ATTRIBUTES = "* -text !eol !crlf !ident !filter !working-tree-encoding\n";

    private static final String NO_HEAD = "ref: refs/heads/none";

    /** Creates an empty index. Any {@code oid} of the repository tells its hash function. */
    static NeutralIndex empty(Git git, WorktreeGitDir gitDir, Path root, String oid) throws IOException {
        return open(git, gitDir, root, Optional.empty(), oid);
    }

    /** Creates a copy of the worktree's index. */
    static NeutralIndex copyOf(Git git, WorktreeGitDir gitDir, Path root, Optional<String> head, String oid)
            throws IOException {
        var index = open(git, gitDir, root, head, oid);
        for (var file : SafeMove.children(gitDir.dir())) {
            var name = file.getFileName().toString();
            if (name.startsWith("sharedindex.")) SafeMove.copyIndex(file, index.dir.resolve(name));
        }
        if (Files.exists(gitDir.index())) {
            SafeMove.copyIndex(gitDir.index(), index.found());
            SafeMove.copyIndex(index.found(), index.file());
        }
        return index;
    }

    private static NeutralIndex open(Git git, WorktreeGitDir gitDir, Path root, Optional<String> head, String oid)
            throws IOException {
        var dir = gitDir.dir().resolve(WorktreeGitDir.OWN_INDEX + UUID.randomUUID());
        Files.createDirectory(
                dir); // not its parents: a repository that was moved away must not come back as an empty one
        Files.createDirectory(dir.resolve("refs"));
        Files.createDirectory(dir.resolve("info"));
        Files.writeString(dir.resolve("HEAD"), head.orElse(NO_HEAD) + "\n");
        Files.writeString(dir.resolve("config"), config(git, root, oid));
        Files.writeString(dir.resolve("info/attributes"), ATTRIBUTES);
        var exclude = gitDir.common().resolve("info/exclude");
        if (Files.isRegularFile(exclude)) Files.copy(exclude, dir.resolve("info/exclude"));
        var objects = gitDir.common().resolve("objects");
        var isolated = git.at(root)
                .with("GIT_DIR", dir.toString())
                .with("GIT_WORK_TREE", root.toString())
                .with("GIT_OBJECT_DIRECTORY", objects.toString())
                .with("GIT_CONFIG_GLOBAL", "/dev/null")
                .with("GIT_CONFIG_NOSYSTEM", "1");
        return new NeutralIndex(isolated.withIndex(dir.resolve("index")), dir, objects);
    }

    private static String config(Git git, Path root, String oid) throws IOException {
        var excludes = git.at(root).ask("config", "--type=path", "--get", "core.excludesFile");
        // other users of the repository must be able to write beside our objects
        var shared = git.at(root).ask("config", "--get", "core.sharedRepository");
        boolean isShared = shared.ok() && SHARED.matcher(shared.line()).matches();
        var pointer = root.resolve(".git"); // not executable, unless the file system has no executable bit
        return """
                [core]
                repositoryFormatVersion = 1
                bare = false
                fileMode = %s
                symlinks = true
                ignoreCase = %s
                autocrlf = false
                safecrlf = false
                attributesFile = /dev/null
                splitIndex = false
                untrackedCache = false
                protectNTFS = false
                protectHFS = false
                %s
                %s
                [extensions]
                objectFormat = %s
                """.formatted(
                        !Files.isRegularFile(pointer) || !SafeMove.isProgram(pointer),
                        Files.exists(root.resolve(".GIT")) && Files.isSameFile(root.resolve(".GIT"), pointer),
                        isShared ? "sharedRepository = " + shared.line() : "",
                        excludes.ok() ? "excludesFile = " + quoted(excludes.line()) : "",
                        oid.length() == 64 ? "sha256" : "sha1");
    }

    private static String quoted(String value) {
        return '"' + value.replace("\\", "\\\\").replace("\"", "\\\"").replace("\n", "\\n") + '"';
    }

    private Path file() {
        return dir.resolve("index");
    }

    /** An unchanged copy of the worktree's index; git rewrites the other copy. */
    private Path found() {
        return dir.resolve("found");
    }

    /** Removes HEAD, so that git compares the files only with the index. */
    void forgetHead() throws IOException {
        Files.writeString(dir.resolve("HEAD"), NO_HEAD + "\n");
    }

    /** Clears assume-unchanged, and skip-worktree of existing files. Returns the index entries that are repositories. */
    List<GitPath> unhide(Path root) {
        var assumed = new ArrayList<GitPath>();
        var skipped = new ArrayList<GitPath>();
        var repositories = new ArrayList<GitPath>();
        for (var line : git.run("ls-files", "-s", "-v", "-z").fields()) {
            char tag = line.charAt(0);
            boolean repository = line.startsWith(StatusEntry.GITLINK, 2);
            if (tag == 'H' && !repository) continue;
            var path = new GitPath(line.substring(line.indexOf('\t') + 1));
            if (repository) repositories.add(path);
            if (tag >= 'a' && tag <= 'z') assumed.add(path);
            boolean there = (tag == 'S' || tag == 's') && Files.exists(path.in(root), LinkOption.NOFOLLOW_LINKS);
            if (there) skipped.add(path);
        }
        if (!assumed.isEmpty()) git.given(assumed).run("update-index", "--no-assume-unchanged", "-z", "--stdin");
        if (!skipped.isEmpty()) git.given(skipped).run("update-index", "--no-skip-worktree", "-z", "--stdin");
        return repositories;
    }

    /** Allows missing objects in a partial clone: the objects of files that are not checked out may be on its remote. */
    GitReply writeTree() {
        var reply = git.ask("write-tree");
        return !reply.ok() && isPartialClone() ? git.ask("write-tree", "--missing-ok") : reply;
    }

    private boolean isPartialClone() {
        try (var packs = Files.newDirectoryStream(objects.resolve("pack"), "*.promisor")) {
            return packs.iterator().hasNext();
        } catch (IOException e) {
            return false;
        }
    }

    /** The entries whose objects are missing from the repository, without those that a partial clone may lack. */
    Set<GitPath> lost() {
        var entries = new LinkedHashMap<GitPath, String>();
        boolean partial = isPartialClone();
        for (var line : git.run("ls-files", "-s", "-t", "-z").fields()) {
            int tab = line.indexOf('\t');
            if (line.startsWith(StatusEntry.GITLINK, 2) || (partial && line.charAt(0) == 'S')) continue;
            entries.put(
                    new GitPath(line.substring(tab + 1)),
                    GitReply.pieces(line.substring(0, tab), ' ').get(2));
        }
        var there = BlobFiles.sizes(git, entries.values()).keySet();
        var lost = new TreeSet<GitPath>();
        entries.forEach((path, oid) -> {
            if (!there.contains(oid)) lost.add(path);
        });
        return lost;
    }

    /** Removes the deleted paths and adds the entries. An entry may replace a directory, and entries below it a file. */
    void update(Collection<GitPath> deleted, Map<GitPath, TreeWriter.TreeEntry> entries, int digits) {
        if (deleted.isEmpty() && entries.isEmpty()) return;
        var none = "0 " + "0".repeat(digits);
        var text = new StringBuilder();
        for (var path : deleted)
            text.append(none).append('\t').append(path.raw()).append('\0');
        text.append(TreeWriter.lines(entries));
        git.given(text.toString().getBytes(StandardCharsets.ISO_8859_1)).run("update-index", "-z", "--index-info");
    }

    /** The file attributes that git recorded when it last read each file. */
    IndexTimes times() throws IOException {
        if (!Files.exists(found())) return IndexTimes.NONE;
        return IndexTimes.of(
                git.withIndex(found()).run("ls-files", "-s", "--debug", "-z"), Files.getLastModifiedTime(found()));
    }

    @Override
    public void close() throws IOException {
        SafeMove.delete(dir);
    }

    /**
     * The file attributes in an index, with times in nanoseconds. Git itself compares seconds, and so reads a file again that
     * changed in the same second as the index, which may run a filter or fail.
     */
    record IndexTimes(Map<GitPath, IndexTime> entries) {

        static final IndexTimes NONE = new IndexTimes(Map.of());

        private static final Pattern NUMBERS =
                Pattern.compile("\\s+ctime: (\\d+):(\\d+)\\s+mtime: (\\d+):(\\d+)\\s+dev: \\d+"
                        + "\\s+ino: (\\d+)\\s+uid: \\d+\\s+gid: \\d+\\s+size: (\\d+)\\s+flags: [0-9a-f]+\n");
        private static final long MASK = 0xffff_ffffL;

        record IndexTime(String mode, Instant changed, Instant modified, long inode, long size) {}

        /** Omits entries that are not older than the index: their files may have changed later in the same clock tick. */
        static IndexTimes of(GitReply listing, FileTime indexTime) {
            var entries = new HashMap<GitPath, IndexTime>();
            var text = listing.out();
            var numbers = NUMBERS.matcher(text);
            int from = 0;
            for (int end = text.indexOf('\0'); end >= 0; end = text.indexOf('\0', from)) {
                if (!numbers.find(end) || numbers.start() != end + 1) return new IndexTimes(entries);
                var modified = instant(numbers.group(3), numbers.group(4));
                if (modified.isBefore(indexTime.toInstant()))
                    entries.put(
                            new GitPath(text.substring(text.indexOf('\t', from) + 1, end)),
                            new IndexTime(
                                    text.substring(from, text.indexOf(' ', from)),
                                    instant(numbers.group(1), numbers.group(2)),
                                    modified,
                                    Long.parseLong(numbers.group(5)),
                                    Long.parseLong(numbers.group(6))));
                from = numbers.end();
            }
            return new IndexTimes(entries);
        }

        private static Instant instant(String seconds, String nanos) {
            return Instant.ofEpochSecond(Long.parseLong(seconds), Long.parseLong(nanos));
        }

        /** The files that have not changed since git recorded them. */
        Set<GitPath> unchanged(Collection<GitPath> paths, Path root) {
            var same = new HashSet<GitPath>();
            for (var path : paths) {
                var known = Optional.ofNullable(entries.get(path));
                if (known.isPresent() && known.equals(seen(path.in(root)))) same.add(path);
            }
            return same;
        }

        private static Optional<IndexTime> seen(Path file) {
            try {
                var facts = Files.readAttributes(file, PosixFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                var changed = (FileTime) Files.getAttribute(file, "unix:ctime", LinkOption.NOFOLLOW_LINKS);
                long inode = (long) Files.getAttribute(file, "unix:ino", LinkOption.NOFOLLOW_LINKS);
                boolean program = facts.permissions().contains(PosixFilePermission.OWNER_EXECUTE);
                return Optional.of(new IndexTime(
                        program ? "100755" : "100644",
                        changed.toInstant(),
                        facts.lastModifiedTime().toInstant(),
                        inode & MASK,
                        facts.size() & MASK));
            } catch (IOException e) {
                return Optional.empty();
            }
        }
    }
}
