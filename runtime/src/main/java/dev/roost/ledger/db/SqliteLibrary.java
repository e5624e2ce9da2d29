package dev.roost.ledger.db;

import dev.roost.base.DiskErrors;
import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermissions;
import org.sqlite.SQLiteJDBCLoader;
import org.sqlite.util.LibraryLoaderUtil;

/** Loads SQLite's native library from a file. Its loader reports only that it failed; this class finds out why. */
final class SqliteLibrary {

    private SqliteLibrary() {}

    static void load() {
        try {
            SQLiteJDBCLoader.initialize();
        } catch (Exception e) {
            throw why(e);
        }
    }

    private static RoostError why(Exception e) {
        var directory = Path.of(System.getProperty("org.sqlite.tmpdir", System.getProperty("java.io.tmpdir")));
        try {
            var copy = Files.createTempFile(
                    directory,
                    "library",
                    "",
                    PosixFilePermissions.asFileAttribute(PosixFilePermissions.fromString("rwx------")));
            try {
                unpack(copy);
                if (!Files.isExecutable(copy)) return noexec(directory);
            } finally {
                Files.deleteIfExists(copy);
            }
        } catch (IOException unwritten) {
            return DiskErrors.unusable(directory.toString(), unwritten);
        }
        return ErrorCode.NO_SQLITE.error(
                "The native library of SQLite cannot be loaded: %s.".formatted(e.getMessage()));
    }

    private static void unpack(Path copy) throws IOException {
        var name = LibraryLoaderUtil.getNativeLibResourcePath() + "/" + LibraryLoaderUtil.getNativeLibName();
        try (var in = SQLiteJDBCLoader.class.getResourceAsStream(name);
                var out = Files.newOutputStream(copy)) {
            if (in != null) in.transferTo(out);
        }
    }

    private static RoostError noexec(Path directory) {
        return ErrorCode.HOME_NOEXEC.error(
                "%s is on a filesystem that is mounted noexec, so the native library of SQLite cannot be loaded from there."
                        .formatted(directory));
    }
}
