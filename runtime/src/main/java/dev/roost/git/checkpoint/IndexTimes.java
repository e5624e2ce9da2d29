package dev.roost.git.checkpoint;

import dev.roost.git.GitPath;
import dev.roost.git.GitReply;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.attribute.FileTime;
import java.nio.file.attribute.PosixFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.time.Instant;
import java.util.Collection;
import java.util.HashMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.regex.Pattern;

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
