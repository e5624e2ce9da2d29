package dev.roost.cli;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code roost daemon backup} and {@code restore}: the ledger, while it is in use, and back again. */
final class LedgerCopies {

    private LedgerCopies() {}

    @Command(name = "backup", description = "Write a copy of the ledger, while it is in use.")
    static final class Backup extends Common {
        @Parameters(paramLabel = "FILE", description = "where to")
        @SuppressWarnings("NullAway.Init")
        private Path file;

        @Override
        int call(Client client) {
            var answer = client.tell(
                    "backup", params().put("file", file.toAbsolutePath().toString()));
            if (json) printJson(answer);
            else
                System.out.println("The ledger was copied to %s."
                        .formatted(answer.path("file").asString()));
            return 0;
        }
    }

    @Command(
            name = "restore",
            description = {
                "Put a copy of the ledger in place of the present one, which is kept beside it.",
                "The daemon is stopped for it and started again; it then settles what the copy calls live."
            })
    static final class Restore extends Common {
        @Parameters(paramLabel = "FILE", description = "a copy made by `roost daemon backup`")
        @SuppressWarnings("NullAway.Init")
        private Path file;

        @Override
        int call(Client client) {
            var home = HomePath.of(System.getenv());
            var ledger = home.resolve("roost.db");
            var before = home.resolve("roost.db.before-restore");
            checkCopy();
            DaemonCommand.stop(client);
            try {
                if (Files.exists(ledger)) Files.move(ledger, before, StandardCopyOption.REPLACE_EXISTING);
                for (var part : new String[] {"-wal", "-shm"}) Files.deleteIfExists(home.resolve("roost.db" + part));
                Files.createDirectories(home);
                Files.copy(file, ledger);
                startOrPutBack(client, ledger, before);
            } catch (IOException e) {
                throw new CliError(
                        CliError.FAILED,
                        "restore_failed",
                        "The copy could not be put in place: %s.".formatted(e.getMessage()),
                        "The ledger as it was is %s.".formatted(before));
            }
            if (json) printJson(params().put("file", file.toString()).put("before", before.toString()));
            else System.out.println("Restored; the ledger as it was before is %s.".formatted(before));
            return 0;
        }

        private void checkCopy() {
            try (var in = Files.newInputStream(file)) {
                if (new String(in.readNBytes(15), java.nio.charset.StandardCharsets.US_ASCII).equals("SQLite format 3"))
                    return;
            } catch (IOException e) {
                // said below
            }
            throw new CliError(
                    CliError.USAGE,
                    "no_ledger",
                    "%s is no copy of a ledger.".formatted(file),
                    "Make one with `roost daemon backup FILE`.");
        }

        private static void startOrPutBack(Client client, Path ledger, Path before) throws IOException {
            try {
                client.ask("status", params());
            } catch (CliError e) {
                if (Files.exists(before)) Files.move(before, ledger, StandardCopyOption.REPLACE_EXISTING);
                throw e;
            }
        }
    }
}
