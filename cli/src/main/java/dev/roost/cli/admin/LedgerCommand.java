package dev.roost.cli.admin;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.InteractiveUser;
import dev.roost.cli.client.Invocation;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.RunSummary;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

@Command(
        name = "ledger",
        description = "Manage a ledger that several machines share: docs/cluster.md.",
        mixinStandardHelpOptions = true,
        subcommands = {LedgerCommand.Move.class, LedgerCommand.Migrate.class})
public final class LedgerCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(System.out);
    }

    static void requirePerson(Invocation invocation) {
        if (InteractiveUser.isTyping(invocation.environment())) return;
        throw new CliError(
                CliError.REFUSED,
                "person_required",
                "Only a person may do this, and this is inside a run or a harness.",
                "Ask the user to run `roost ledger` in a plain shell.");
    }

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
            requirePerson(invocation);
            if (stop) DaemonCommand.stop(client);
            else if (client.callIfRunning("status", params()).isPresent())
                throw new CliError(
                        CliError.REFUSED,
                        "daemon_running",
                        "The daemon of this home is running and writes to its ledger.",
                        "Stop it first: roost daemon stop, or pass --stop-daemon.");
            var done = new LedgerProcess(invocation, "move", url).run(json ? _ -> {} : Move::progress);
            if (json) printJson(done);
            else print(done);
            return 0;
        }

        static void progress(JsonNode at) {
            long done = at.path("done").asLong();
            boolean tables = at.path("what").asString().equals("tables");
            if (tables && done > 0 && done < at.path("all").asLong()) return; // many, and fast
            System.err.println("%s: %d of %d"
                    .formatted(
                            at.path("what").asString(),
                            at.path("done").asLong(),
                            at.path("all").asLong()));
        }

        private void print(JsonNode done) {
            var rows = done.path("rows");
            System.out.println("Moved %s with %s and %s as node %s. The old ledger is kept: %s"
                    .formatted(
                            RunSummary.some(rows.path("run").asLong(), "run"),
                            RunSummary.some(rows.path("event").asLong(), "event"),
                            RunSummary.some(rows.path("notice").asLong(), "notice"),
                            Style.safe(done.path("node").asString()),
                            done.path("kept").asString()));
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
            requirePerson(invocation);
            var done = new LedgerProcess(invocation, "migrate", url).run(_ -> {});
            if (json) printJson(done);
            else
                System.out.println("The tables are up to date (schema %s)."
                        .formatted(done.path("schema").asString()));
            return 0;
        }
    }
}
