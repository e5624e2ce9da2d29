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
 * A tool's own directory, into which pieces are laid. The directory itself may be reached by links of its user's making;
 * below it none is followed, and no name leads out of it.
 */
final class ConfinedDirectory {

    private static final Pattern NAME = Pattern.compile("[A-Za-z0-9_-][A-Za-z0-9._-]{0,199}");
    private static final int DEEPEST = 6;
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

    /** Whether a name can only be that of a file below some directory. */
    static boolean staysBelow(String name) {
        var steps = name.split("/", -1);
        if (steps.length > DEEPEST) return false;
        for (var step : steps) if (!NAME.matcher(step).matches()) return false;
        return true;
    }

    /** Lays all of them or, if one cannot be, none. What is there already and says something else is put beside. */
    void writeAll(Map<String, BundleEntry> pieces) throws IOException {
        var places = new LinkedHashMap<Path, BundleEntry>();
        for (var piece : pieces.entrySet()) places.put(place(piece.getKey()), piece.getValue());
        var fresh = new ArrayList<Path>();
        try {
            for (var place : places.entrySet()) {
                directories(place.getKey());
                var beside = conflictPath(place.getKey(), FRESH);
                fresh.add(beside);
                copy(place.getValue().file(), beside);
            }
            for (var place : places.keySet()) {
                moveAside(place, conflictPath(place, FRESH));
                Files.move(conflictPath(place, FRESH), place, StandardCopyOption.ATOMIC_MOVE);
            }
        } finally {
            for (var left : fresh) Files.deleteIfExists(left);
        }
    }

    private Path place(String name) {
        if (!staysBelow(name)) throw BundleRefusal.bad("\"%s\" is no name of a file of its own".formatted(name));
        var place = root;
        for (var step : name.split("/", -1)) {
            if (Files.exists(place, LinkOption.NOFOLLOW_LINKS) && !Files.isDirectory(place, LinkOption.NOFOLLOW_LINKS))
                throw blockedBy(place);
            place = place.resolve(step);
        }
        if (Files.exists(place, LinkOption.NOFOLLOW_LINKS) && !Files.isRegularFile(place, LinkOption.NOFOLLOW_LINKS))
            throw blockedBy(place);
        return place;
    }

    private static RuntimeException blockedBy(Path place) {
        return BundleRefusal.bad("%s is there already and is not what it should be".formatted(place));
    }

    /** Those that lead to it. */
    private void directories(Path place) throws IOException {
        var steps = root.relativize(place);
        var folder = root;
        for (int i = 0; i < steps.getNameCount() - 1; i++) {
            folder = folder.resolve(steps.getName(i));
            if (!Files.isDirectory(folder, LinkOption.NOFOLLOW_LINKS))
                Files.createDirectory(
                        folder, PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
        }
    }

    private static Path conflictPath(Path place, String ending) {
        return place.resolveSibling(place.getFileName() + ending);
    }

    private static void copy(Path from, Path to) throws IOException {
        Files.deleteIfExists(to);
        Files.copy(from, to);
        Files.setPosixFilePermissions(to, PosixFilePermissions.fromString("rw-------"));
        try (var channel = FileChannel.open(to, StandardOpenOption.WRITE)) {
            channel.force(true);
        }
    }

    /** What only begins as the new one does is no loss. */
    private static void moveAside(Path place, Path fresh) throws IOException {
        if (!Files.exists(place)) return;
        long differs = Files.mismatch(place, fresh);
        if (differs < 0 || differs == Files.size(place)) return;
        moveAside(place);
    }

    /** Its tool reads it no more, but a person can. */
    static void moveAside(Path place) throws IOException {
        Files.move(place, conflictPath(place, BEFORE), StandardCopyOption.ATOMIC_MOVE);
    }
}
