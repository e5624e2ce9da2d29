package dev.roost.git.checkpoint;

import dev.roost.git.Git;
import dev.roost.git.GitPath;
import dev.roost.git.GitReply;
import dev.roost.git.StatusEntry;
import dev.roost.git.checkpoint.OmittedFile.OmissionReason;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.BasicFileAttributes;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.LinkedHashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.regex.Pattern;

/** One scan of a worktree's files, and the files that go into the checkpoint. */
final class WorktreeScan {

    private static final Pattern CLOSED = Pattern.compile("could not open directory '(.*)/?': Permission denied");
    private static final int MOST_COUNTED = 2_000;

    final Path root;
    private final CheckpointLimits limits;
    private final Set<GitPath> away;
    final Set<GitPath> changed = new LinkedHashSet<>();
    final Set<GitPath> deleted = new LinkedHashSet<>();
    /** Regular files whose index entry differs from HEAD. */
    final List<GitPath> staged = new ArrayList<>();

    final List<OmittedFile> omitted = new ArrayList<>();
    private final Map<GitPath, String> stamps = new HashMap<>();
    boolean unmerged;

    /** @param away tracked files that the remover has moved away, and that count as existing */
    WorktreeScan(Path root, CheckpointLimits limits, Set<GitPath> away) {
        this.root = root;
        this.limits = limits;
        this.away = away;
    }

    /** @param repositories entries of the index that are repositories, which git does not scan */
    void read(NeutralIndex index, List<GitPath> repositories) throws IOException {
        var words = new String[] {
            "status",
            "--porcelain=v2",
            "-z",
            "--no-renames",
            "--untracked-files=all",
            "--ignore-submodules=dirty",
            "--ignored=" + (limits.ignoredToo() ? "traditional" : "matching")
        };
        var status = index.git().ask(words);
        if (!status.ok()) {
            if (status.exit() == GitReply.LATE) throw Git.failed(status, words);
            index.forgetHead(); // a tree of HEAD may be missing
            status = index.git().run(words);
        }
        var closed = CLOSED.matcher(status.err());
        while (closed.find()) omitted.add(new OmittedFile(new GitPath(closed.group(1)), OmissionReason.UNREADABLE, -1));
        repositories.forEach(this::repository);
        for (var entry : StatusEntry.of(status)) sort(entry);
    }

    private void sort(StatusEntry entry) {
        unmerged |= entry.isUnmerged();
        var path = entry.path();
        if (entry.isTracked()) {
            boolean gone = entry.isUnmerged() ? entry.mode().equals(StatusEntry.GONE) : entry.changed() == 'D';
            if (entry.mode().equals(StatusEntry.GITLINK)) return;
            if (gone) delete(path);
            else file(path, true, entry.changed() != '.' || entry.isUnmerged());
            if (entry.staged() != '.' && stamps.containsKey(path)) staged.add(path);
        } else if (!path.isNameForGit()) {
            omitted.add(new OmittedFile(path.withoutSlash(), OmissionReason.NAME, size(path.in(root))));
        } else if (path.isDirectory()) {
            if (entry.kind() == '?' || isRepository(path)) repository(path);
            else omitted.add(new OmittedFile(path.withoutSlash(), OmissionReason.IGNORED, size(path.in(root))));
        } else if (entry.kind() == '!' && !limits.ignoredToo()) {
            omitted.add(new OmittedFile(path, OmissionReason.IGNORED, size(path.in(root))));
        } else {
            file(path, false, true);
        }
    }

    private void file(GitPath path, boolean tracked, boolean differs) {
        var file = path.in(root);
        try {
            var facts = Files.readAttributes(file, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
            if (facts.isSymbolicLink()) {
                if (differs) changed.add(path);
            } else if (facts.isDirectory()) {
                if (tracked && differs) delete(path);
            } else if (facts.isOther()) {
                omitted.add(new OmittedFile(path, OmissionReason.SPECIAL, 0));
                if (tracked) delete(path);
            } else if (differs && facts.size() > limits.mostBytes()) {
                omitted.add(new OmittedFile(path, OmissionReason.TOO_BIG, facts.size()));
            } else if (!Files.isReadable(file)) {
                omitted.add(new OmittedFile(path, OmissionReason.UNREADABLE, facts.size()));
            } else {
                if (differs) changed.add(path);
                stamps.put(path, stamp(facts));
            }
        } catch (IOException e) {
            if (tracked) delete(path); // deleted since git listed it
        }
    }

    /** Adds index entries whose objects are missing: their existing files as changed, the others as deleted. */
    void addLost(Set<GitPath> lost) {
        for (var path : lost) {
            if (!changed.contains(path) && isIncluded(path)) changed.add(path);
            if (!changed.contains(path)) deleted.add(path);
        }
    }

    /** Adds files that could not be read: missing ones as deleted, the others as omitted. */
    void addUnreadable(Set<GitPath> paths) {
        for (var path : paths) {
            if (Files.exists(path.in(root), LinkOption.NOFOLLOW_LINKS))
                omitted.add(new OmittedFile(path, OmissionReason.UNREADABLE, size(path.in(root))));
            else delete(path);
        }
    }

    /** Adds files that equal their index entry, although git would compare their content. */
    void addUnchanged(Set<GitPath> paths) {
        changed.removeAll(paths);
    }

    /** Whether a checkpoint includes a file that git reports as unchanged. */
    boolean isIncluded(GitPath path) {
        var file = path.in(root);
        try {
            return Files.isRegularFile(file, LinkOption.NOFOLLOW_LINKS)
                    && Files.isReadable(file)
                    && Files.size(file) <= limits.mostBytes();
        } catch (IOException e) {
            return false;
        }
    }

    private void delete(GitPath path) {
        if (!away.contains(path)) deleted.add(path);
    }

    private void repository(GitPath path) {
        if (isRepository(path)) omitted.add(new OmittedFile(path.withoutSlash(), OmissionReason.REPOSITORY, -1));
    }

    private boolean isRepository(GitPath path) {
        return Files.exists(path.withoutSlash().in(root).resolve(".git"), LinkOption.NOFOLLOW_LINKS);
    }

    /** Whether no scanned file has changed since the scan. */
    boolean stillHolds() {
        for (var stamp : stamps.entrySet()) {
            try {
                var facts = Files.readAttributes(
                        stamp.getKey().in(root), BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                if (!stamp(facts).equals(stamp.getValue())) return false;
            } catch (IOException e) {
                return false;
            }
        }
        return true;
    }

    private static String stamp(BasicFileAttributes facts) {
        return facts.size() + " " + facts.lastModifiedTime() + " " + facts.fileKey();
    }

    private static long size(Path place) {
        long sum = 0;
        int count = 0;
        try (var all = Files.walk(place)) {
            for (var each : (Iterable<Path>) all::iterator) {
                if (++count > MOST_COUNTED) return -1;
                var facts = Files.readAttributes(each, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
                if (facts.isRegularFile()) sum += facts.size();
            }
            return sum;
        } catch (IOException | java.io.UncheckedIOException e) {
            return -1;
        }
    }
}
