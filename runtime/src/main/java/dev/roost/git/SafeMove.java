package dev.roost.git;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.AtomicMoveNotSupportedException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.NoSuchFileException;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
import java.nio.file.attribute.PosixFilePermission;
import java.util.ArrayList;
import java.util.List;

/** Moves and copies files so that after a crash each file is in at least one of the two places. */
public final class SafeMove {

    /** How to handle a file that already exists at the destination. */
    public enum ConflictPolicy {
        /** The existing file is deleted. */
        REPLACE,
        /** The file to move stays at its source. */
        LEAVE
    }

    private SafeMove() {}

    public static boolean exists(Path path) {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** Whether the owner may execute the file, which is what git records. */
    public static boolean isProgram(Path file) throws IOException {
        return Files.getPosixFilePermissions(file).contains(PosixFilePermission.OWNER_EXECUTE);
    }

    private static boolean isDirectory(Path path) {
        return Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** Moves a file or a directory; an existing directory is merged. */
    public static void move(Path from, Path to, ConflictPolicy clash) throws IOException {
        if (!exists(from)) return;
        if (exists(to)) {
            if (isDirectory(from) && isDirectory(to)) {
                for (var child : children(from)) move(child, to.resolve(child.getFileName()), clash);
                deleteIfEmpty(from);
                return;
            }
            if (isSame(from, to)) {
                Files.delete(from);
                return;
            }
            if (clash == ConflictPolicy.LEAVE) return;
            delete(to);
        }
        Files.createDirectories(to.getParent());
        try {
            Files.move(from, to, StandardCopyOption.ATOMIC_MOVE);
        } catch (AtomicMoveNotSupportedException e) {
            copy(from, to);
            delete(from);
        }
    }

    /** Copies files that do not exist yet: each to a temporary name, which is compared and then renamed. */
    public static void copy(Path from, Path to) throws IOException {
        if (isDirectory(from)) {
            Files.createDirectories(to);
            for (var child : children(from)) copy(child, to.resolve(child.getFileName()));
            return;
        }
        if (exists(to)) return;
        Files.createDirectories(to.getParent());
        var facts = Files.readAttributes(from, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (facts.isOther()) return; // a pipe or socket has no content
        var fresh = to.resolveSibling(".roost-copy");
        Files.deleteIfExists(fresh);
        Files.copy(from, fresh, StandardCopyOption.COPY_ATTRIBUTES, LinkOption.NOFOLLOW_LINKS);
        if (!isSame(from, fresh)) throw new IOException(from + " changed while it was copied");
        Files.move(fresh, to, StandardCopyOption.ATOMIC_MOVE);
    }

    /** Replaces {@code to} by a copy of an index with its time, by which git decides which files to read again. */
    public static void copyIndex(Path from, Path to) throws IOException {
        Files.copy(from, to, StandardCopyOption.REPLACE_EXISTING, StandardCopyOption.COPY_ATTRIBUTES);
    }

    static boolean isSame(Path one, Path other) throws IOException {
        var first = Files.readAttributes(one, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        var second = Files.readAttributes(other, BasicFileAttributes.class, LinkOption.NOFOLLOW_LINKS);
        if (first.isSymbolicLink() && second.isSymbolicLink())
            return Files.readSymbolicLink(one).equals(Files.readSymbolicLink(other));
        return first.isRegularFile()
                && second.isRegularFile()
                && isProgram(one) == isProgram(other)
                && Files.mismatch(one, other) < 0;
    }

    public static List<Path> children(Path directory) throws IOException {
        var all = new ArrayList<Path>();
        try (var list = Files.list(directory)) {
            list.forEach(all::add);
        } catch (UncheckedIOException e) {
            throw e.getCause();
        }
        return all;
    }

    public static boolean isEmpty(Path directory) throws IOException {
        try (var list = Files.list(directory)) {
            return list.findAny().isEmpty();
        }
    }

    /** Whether there is something else than an empty directory. */
    public static boolean isFilled(Path place) throws IOException {
        return exists(place) && !(isDirectory(place) && isEmpty(place));
    }

    public static void deleteIfEmpty(Path directory) throws IOException {
        try {
            Files.deleteIfExists(directory);
        } catch (DirectoryNotEmptyException e) {
            // the directory is not empty
        }
    }

    /** Deletes a file, a link, or a directory with all that is in it. Follows no link. */
    public static void delete(Path place) throws IOException {
        try {
            if (isDirectory(place)) {
                // the content of a read-only directory cannot be deleted
                if (!Files.isWritable(place)) place.toFile().setWritable(true);
                for (var child : children(place)) delete(child);
            }
            Files.deleteIfExists(place);
        } catch (NoSuchFileException e) {
            // another process deleted it
        }
    }
}
