package dev.roost.cli.admin;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;

/** {@code roost daemon backup} and {@code restore}. */
final class LedgerBackup {

    private LedgerBackup() {}

    @Command(name = "backup", description = "Write a copy of the ledger, while it is in use.")
    static final class Backup extends ClientCommand {
        @Parameters(paramLabel = "FILE", description = "the file to write")
        @SuppressWarnings("NullAway.Init")
        private Path file;

        @Override
        public int call(DaemonClient client) {
            var answer = client.callOnce(
                    "backup", params().put("file", invocation.absolute(file).toString()));
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
                "Replace the ledger with a copy; the present ledger is kept beside it.",
                "Restarts the daemon, which then checks each run that the copy records as live."
            })
    static final class Restore extends ClientCommand {
        @Parameters(paramLabel = "FILE", description = "a copy made by `roost daemon backup`")
        @SuppressWarnings("NullAway.Init")
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
                throw new CliError(
                        CliError.FAILED,
                        "restore_failed",
                        "The copy could not be installed: %s.".formatted(CliError.why(e)),
                        "The previous ledger is %s.".formatted(before.exist() ? before.main() : ledger.main()));
            }
            var answer = params().put("file", file.toString());
            if (hadLedger) answer.put("before", before.main().toString());
            if (json) printJson(answer);
            else
                System.out.println(
                        hadLedger ? "Restored; the previous ledger is %s.".formatted(before.main()) : "Restored.");
            return 0;
        }

        private void checkCopy() {
            try (var in = Files.newInputStream(invocation.absolute(file))) {
                if (new String(in.readNBytes(15), java.nio.charset.StandardCharsets.US_ASCII).equals("SQLite format 3"))
                    return;
            } catch (IOException e) {
                // reported below
            }
            throw new CliError(
                    CliError.USAGE,
                    "no_ledger",
                    "%s is not a copy of a ledger.".formatted(file),
                    "Make one with `roost daemon backup FILE`.");
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
}
