package dev.roost.cli.admin;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.CliErrorCode;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import java.io.IOException;
import java.nio.channels.FileChannel;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.StandardOpenOption;
import java.util.Optional;
import java.util.concurrent.locks.LockSupport;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code roost daemon backup} and {@code restore}. */
final class LedgerBackup {

    private LedgerBackup() {}

    @Command(name = "backup", description = "Write a copy of the ledger, while it is in use.")
    static final class Backup extends ClientCommand {
        @Parameters(paramLabel = "FILE", description = "the file to write")
        private Path file;

        @Override
        public int call(DaemonClient client) {
            var params = params().put("file", invocation.absolute(file).toString());
            return printLine(client.callOnce("backup", params), "The ledger was copied to %s.", "file");
        }
    }

    @Command(
            name = "restore",
            description = {
                "Replace the ledger with a copy; the present ledger is kept beside it.",
                "Restarts the daemon, which then checks each run that the copy records as live."
            })
    static final class Restore extends ClientCommand {
        @Parameters(paramLabel = "FILE", description = "a copy made by `roost daemon backup`")
        private Path file;

        @Override
        public int call(DaemonClient client) {
            var home = invocation.home();
            var ledger = LedgerFiles.of(home.resolve("roost.db"));
            var before = LedgerFiles.of(home.resolve("roost.db.before-restore"));
            checkCopy();
            boolean hadLedger = ledger.exist();
            try {
                Files.createDirectories(home);
                var staged = LedgerFiles.of(home.resolve("roost.db.restoring"));
                LedgerFiles.of(invocation.absolute(file))
                        .copyTo(staged); // before a move: the copy may be the file that is moved
                try (var _ = LedgerLock.take(home, client)) {
                    hadLedger = ledger.exist();
                    if (hadLedger) ledger.moveTo(before);
                    staged.moveTo(ledger);
                }
                startOrPutBack(home, client, ledger, hadLedger ? Optional.of(before) : Optional.empty());
            } catch (IOException e) {
                throw CliErrorCode.RESTORE_FAILED.error(
                        "The copy could not be installed: %s.".formatted(CliError.why(e)),
                        "The previous ledger is %s.".formatted(before.exist() ? before.main() : ledger.main()));
            }
            var answer = params().put("file", file.toString());
            if (hadLedger) answer.put("before", before.main().toString());
            return printLine(
                    answer, hadLedger ? "Restored; the previous ledger is %s.".formatted(before.main()) : "Restored.");
        }

        private void checkCopy() {
            try (var in = Files.newInputStream(invocation.absolute(file))) {
                if (new String(in.readNBytes(15), StandardCharsets.US_ASCII).equals("SQLite format 3")) return;
            } catch (IOException e) {
                // reported below
            }
            throw CliErrorCode.NO_LEDGER.error("%s is not a copy of a ledger.".formatted(file));
        }

        private static void startOrPutBack(
                Path home, DaemonClient client, LedgerFiles ledger, Optional<LedgerFiles> before) throws IOException {
            try {
                client.call("status", params());
            } catch (CliError e) {
                try (var _ = LedgerLock.take(home, client)) {
                    if (before.isPresent()) before.get().moveTo(ledger);
                    else ledger.delete();
                }
                throw e;
            }
        }
    }

    /**
     * The files of a SQLite ledger. After a kill of the daemon, the write-ahead log has commits that the main file lacks, so both
     * are copied and moved together.
     */
    private record LedgerFiles(Path main, Path log, Path index) {

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

    /** The home's exclusive lock: while it is held, no daemon, which any command may start, opens the ledger. */
    private record LedgerLock(FileChannel channel) implements AutoCloseable {

        private static final int MAX_TRIES = 100;

        /** Stops the daemon that holds the lock, repeatedly if other commands start new ones. */
        static LedgerLock take(Path home, DaemonClient client) throws IOException {
            var channel = FileChannel.open(
                    home.resolve("daemon.lock"),
                    StandardOpenOption.CREATE,
                    StandardOpenOption.WRITE,
                    LinkOption.NOFOLLOW_LINKS);
            for (int i = 0; i < MAX_TRIES; i++) {
                client.shutdown();
                if (channel.tryLock() != null) return new LedgerLock(channel);
                LockSupport.parkNanos(100_000_000); // the holder is starting or stopping
            }
            channel.close();
            throw new IOException("a daemon holds the home's lock and does not release it");
        }

        @Override
        public void close() throws IOException {
            channel.close();
        }
    }
}
