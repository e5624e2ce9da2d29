package dev.roost.home;

import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;

/**
 * Renames the directories of a home that an earlier version called {@code luggage/} and {@code accepting/}. Each step is one
 * atomic rename, or the removal of an empty file or directory, so that the next start continues after a crash.
 */
public final class HomeLayoutMigration {

    private static final System.Logger LOG = System.getLogger(HomeLayoutMigration.class.getName());

    private HomeLayoutMigration() {}

    /** The caller holds the home's lock, and has not yet read the directories. */
    public static void migrate(Home home) throws IOException {
        rename(home, "luggage", home.transfers());
        rename(home, "accepting", home.submissions().directory());
    }

    private static void rename(Home home, String oldName, Path current) throws IOException {
        var old = home.root().resolve(oldName);
        if (!Files.exists(old, LinkOption.NOFOLLOW_LINKS)) return;
        if (!Files.isDirectory(old, LinkOption.NOFOLLOW_LINKS)) {
            LOG.log(System.Logger.Level.WARNING, "{0} is not migrated: it is not a directory. Remove it.", old);
            return;
        }
        Home.privateDirectory(current); // throws if a symlink or a file has the new name
        if (entries(current).isEmpty()) {
            Files.move(old, current, StandardCopyOption.ATOMIC_MOVE); // rename(2) replaces an empty directory
            LOG.log(System.Logger.Level.INFO, "{0} is renamed to {1}", old, current.getFileName());
        } else {
            merge(old, current);
        }
        PrivateFiles.sync(current);
        PrivateFiles.sync(home.root());
    }

    /** Moves the entries whose name is free. A symlink among them is moved as a symlink. */
    private static void merge(Path old, Path current) throws IOException {
        var kept = new ArrayList<String>();
        for (var entry : entries(old)) {
            var target = current.resolve(entry.getFileName());
            if (!Files.exists(target, LinkOption.NOFOLLOW_LINKS)) {
                Files.move(entry, target, StandardCopyOption.ATOMIC_MOVE);
            } else if (isEmptyFile(entry) && isEmptyFile(target)) {
                Files.delete(entry); // a marker says all it says by its name
            } else {
                kept.add(entry.getFileName().toString());
            }
        }
        if (kept.isEmpty()) deleteEmpty(old);
        else
            LOG.log(
                    System.Logger.Level.WARNING,
                    "{0} keeps {1}: {2} has entries of the same names. Compare them and remove {0}.",
                    old,
                    kept,
                    current.getFileName());
    }

    private static List<Path> entries(Path directory) throws IOException {
        try (var entries = Files.list(directory)) {
            return entries.sorted().toList();
        }
    }

    private static boolean isEmptyFile(Path file) throws IOException {
        return PrivateFiles.exists(file) && Files.size(file) == 0;
    }

    private static void deleteEmpty(Path directory) throws IOException {
        try {
            Files.delete(directory);
            LOG.log(System.Logger.Level.INFO, "{0} is merged into its new directory and removed", directory);
        } catch (DirectoryNotEmptyException e) {
            // an entry was added meanwhile: the next start moves it
        }
    }
}
