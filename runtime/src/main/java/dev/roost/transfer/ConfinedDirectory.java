package dev.roost.transfer;

import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.nio.file.attribute.PosixFilePermissions;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.regex.Pattern;

/**
 * A tool's directory into which files are written. The user may have made the directory itself a symlink; below it no symlink is
 * followed, and no name leads out of it.
 */
final class ConfinedDirectory {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}");
    private static final int MAX_DEPTH = 6;
    private static final String FRESH = ".roost-fresh";
    private static final String BEFORE = ".roost-before";

    private final Path root;

    private ConfinedDirectory(Path root) {
        this.root = root;
    }

    static ConfinedDirectory at(Path root) throws IOException {
        Files.createDirectories(root);
        return new ConfinedDirectory(root.toRealPath());
    }

    /** Whether a relative name can only denote a file below its directory. */
    static boolean staysBelow(String name) {
        var steps = name.split("/", -1);
        if (steps.length > MAX_DEPTH) return false;
        for (var step : steps) if (!NAME.matcher(step).matches()) return false;
        return true;
    }

    /** Writes all files, or none if one cannot be written. An existing file with other content is renamed. */
    void writeAll(Map<String, BundleEntry> entries) throws IOException {
        var targets = new LinkedHashMap<Path, BundleEntry>();
        for (var entry : entries.entrySet()) targets.put(target(entry.getKey()), entry.getValue());
        var fresh = new ArrayList<Path>();
        try {
            for (var target : targets.entrySet()) {
                createParents(target.getKey());
                var temporary = sibling(target.getKey(), FRESH);
                fresh.add(temporary);
                copy(target.getValue().file(), temporary);
            }
            for (var target : targets.keySet()) {
                moveAside(target, sibling(target, FRESH));
                Files.move(sibling(target, FRESH), target, StandardCopyOption.ATOMIC_MOVE);
            }
        } finally {
            for (var temporary : fresh) Files.deleteIfExists(temporary);
        }
    }

    private Path target(String name) {
        if (!staysBelow(name)) throw BundleRefusal.bad("\"%s\" is not a valid file name".formatted(name));
        var path = root;
        for (var step : name.split("/", -1)) {
            if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(path, LinkOption.NOFOLLOW_LINKS))
                throw blockedBy(path);
            path = path.resolve(step);
        }
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(path, LinkOption.NOFOLLOW_LINKS))
            throw blockedBy(path);
        return path;
    }

    private static RuntimeException blockedBy(Path path) {
        return BundleRefusal.bad("%s exists and has the wrong file type".formatted(path));
    }

    /** Creates the directories between the root and a file. */
    private void createParents(Path file) throws IOException {
        var steps = root.relativize(file);
        var folder = root;
        for (int i = 0; i < steps.getNameCount() - 1; i++) {
            folder = folder.resolve(steps.getName(i));
            if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS))
                Files.createDirectory(
                        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
    }

    private static Path sibling(Path file, String suffix) {
        return file.resolveSibling(file.getFileName() + suffix);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.deleteIfExists(to);
        Files.copy(from, to);
        Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rw-------"));
        try (var channel = FileChannel.open(to, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    /** Renames an existing file, unless the new file begins with its whole content. */
    private static void moveAside(Path file, Path fresh) throws IOException {
        if (!Files.exists(file)) return;
        long mismatch = Files.mismatch(file, fresh);
        if (mismatch < 0 || mismatch == Files.size(file)) return;
        moveAside(file);
    }

    /** Renames a file so that the tool no longer reads it, and the user still can. */
    static void moveAside(Path file) throws IOException {
        Files.move(file, sibling(file, BEFORE), StandardCopyOption.ATOMIC_MOVE);
    }
}
