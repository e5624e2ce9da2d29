package dev.roost.rescue;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.SQLException;
import java.util.List;
import java.util.Optional;

/**
 * A copy of a SQLite database that another program may be writing to. Even a reader of the original would take its locks and
 * write to its shared memory, so this class copies the file and its write-ahead log, and opens the copy.
 */
final class DatabaseCopy implements AutoCloseable {

    private static final int TRIES = 5;

    private final Path folder;
    private final Connection connection;

    private DatabaseCopy(Path folder, Connection connection) {
        this.folder = folder;
        this.connection = connection;
    }

    static DatabaseCopy of(Path database) throws IOException, SQLException {
        var folder = Files.createTempDirectory("roost-rescue-");
        try {
            var copy = folder.resolve("copy.db");
            copyUnchanged(database, copy);
            return new DatabaseCopy(folder, DriverManager.getConnection("jdbc:sqlite:" + copy));
        } catch (IOException | SQLException | RuntimeException e) {
            delete(folder);
            throw e;
        }
    }

    /** Copies both files; retries if one of them changes meanwhile, because the copies would not match. */
    private static void copyUnchanged(Path database, Path copy) throws IOException {
        for (int i = 0; i < TRIES; i++) {
            var before = fileStates(database);
            Files.deleteIfExists(log(copy));
            Files.deleteIfExists(copy);
            Files.copy(database, copy);
            if (Files.exists(log(database))) Files.copy(log(database), log(copy));
            if (fileStates(database).equals(before)) return;
        }
        throw new IOException("it is being written to all the time");
    }

    private static Path log(Path database) {
        return database.resolveSibling(database.getFileName() + "-wal");
    }

    private static List<String> fileStates(Path database) throws IOException {
        return List.of(fileState(database), fileState(log(database)));
    }

    private static String fileState(Path file) throws IOException {
        if (!Files.exists(file)) return "";
        return Files.size(file) + " " + Files.getLastModifiedTime(file);
    }

    Connection connection() {
        return connection;
    }

    @Override
    public void close() throws SQLException {
        try {
            connection.close();
        } finally {
            delete(folder);
        }
    }

    private static void delete(Path folder) {
        for (var name : List.of("copy.db", "copy.db-wal", "copy.db-shm", "copy.db-journal", "")) {
            try {
                Files.deleteIfExists(Optional.of(name)
                        .filter(one -> !one.isEmpty())
                        .map(folder::resolve)
                        .orElse(folder));
            } catch (IOException e) {
                System.getLogger(DatabaseCopy.class.getName())
                        .log(System.Logger.Level.DEBUG, "a copy could not be removed", e);
            }
        }
    }
}
