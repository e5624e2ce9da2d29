package dev.roost.cli.admin;

import dev.roost.cli.client.CliErrorCode;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.CommandGroup;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.view.Amount;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

@Command(
        name = "ledger",
        description = "Manage a ledger that several machines share: docs/cluster.md.",
        mixinStandardHelpOptions = true,
        subcommands = {LedgerCommand.Move.class, LedgerCommand.Migrate.class})
public final class LedgerCommand extends CommandGroup {

    @Command(
            name = "move",
            description = {
                "Move this home's ledger, with all output of its runs, into a shared one.",
                "No run may be live. Repeat an interrupted move to continue it. The old file is kept as roost.db.moved."
            })
    static final class Move extends ClientCommand {

        @Parameters(
                paramLabel = "URL",
                arity = "0..1",
                description = "postgresql://user@host:5432/database (default: ledger in config.toml)")
        private @Nullable String url;

        @Option(names = "--stop-daemon", description = "stop the daemon of this home first")
        private boolean stop;

        @Override
        public int call(DaemonClient client) {
            requirePerson("do this", "roost ledger");
            if (stop) client.shutdown();
            else if (client.callIfRunning("status", params()).isPresent())
                throw CliErrorCode.DAEMON_RUNNING.error("The daemon of this home is running and writes to its ledger.");
            var done = new LedgerProcess(invocation, "move", url).run(json ? _ -> {} : Move::progress);
            return print(done, this::print);
        }

        static void progress(JsonNode at) {
            long done = at.path("done").asLong();
            boolean tables = at.path("what").asString().equals("tables");
            if (tables && done > 0 && done < at.path("all").asLong()) return; // many, and fast
            System.err.println(filled(at, "%s: %s of %s", "what", "done", "all"));
        }

        private void print(JsonNode done) {
            var moved = Stream.of("run", "event", "notice")
                    .map(what -> Amount.some(done.path("rows").path(what).asLong(), what))
                    .toArray();
            System.out.println("Moved %s with %s and %s".formatted(moved)
                    + filled(done, " as node %s. The old ledger is kept: %s", "node", "kept"));
            if (url != null) System.out.println("Now set ledger = \"postgresql://…\" in config.toml.");
        }
    }

    @Command(
            name = "migrate",
            description = {
                "Create or upgrade the tables of a shared ledger, as the role that owns them.",
                "Only needed if the nodes' role may not: integrations/postgresql/roles.sql."
            })
    static final class Migrate extends ClientCommand {

        @Parameters(
                paramLabel = "URL",
                arity = "0..1",
                description = "postgresql://owner@host:5432/database (default: ledger in config.toml)")
        private @Nullable String url;

        @Override
        public int call(DaemonClient client) {
            requirePerson("do this", "roost ledger");
            var done = new LedgerProcess(invocation, "migrate", url).run(_ -> {});
            return printLine(done, "The tables are up to date (schema %s).", "schema");
        }
    }
}
