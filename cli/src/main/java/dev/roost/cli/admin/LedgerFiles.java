package dev.roost.cli.admin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * The files of a SQLite ledger. After a kill of the daemon, the write-ahead log has commits that the main file lacks, so both
 * are copied and moved together.
 */
record LedgerFiles(Path main, Path log, Path index) {

    static LedgerFiles of(Path main) {
        return new LedgerFiles(main, Path.of(main + "-wal"), Path.of(main + "-shm"));
    }

    boolean exist() {
        return Files.exists(main);
    }

    void copyTo(LedgerFiles other) throws IOException {
        other.delete();
        Files.copy(main, other.main);
        if (Files.exists(log)) Files.copy(log, other.log);
    }

    /** Deletes the index, which SQLite rebuilds from the log. */
    void moveTo(LedgerFiles other) throws IOException {
        other.delete();
        if (Files.exists(log)) Files.move(log, other.log);
        Files.move(main, other.main, StandardCopyOption.ATOMIC_MOVE);
        Files.deleteIfExists(index);
    }

    void delete() throws IOException {
        for (var part : new Path[] {main, log, index}) Files.deleteIfExists(part);
    }
}
