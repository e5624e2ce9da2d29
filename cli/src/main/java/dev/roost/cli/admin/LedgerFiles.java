package dev.roost.cli.admin;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;

/**
 * A ledger as it lies on the disk: its file, and beside it what a daemon that was killed had committed but not yet carried
 * over. One without the other lacks the last runs.
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

    /** The index is made anew from the log by whoever opens it. */
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
