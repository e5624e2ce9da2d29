package dev.roost.cli.admin;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.CliErrorCode;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.CommandGroup;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.Amount;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

@Command(
        name = "node",
        description = "Manage the nodes of a cluster, from any of them: docs/cluster.md.",
        mixinStandardHelpOptions = true,
        subcommands = {
            NodeListCommand.class,
            NodeCommand.Join.class,
            NodeCommand.Drain.class,
            NodeCommand.Resume.class,
            NodeCommand.Forget.class
        })
public final class NodeCommand extends CommandGroup {

    private static final long POLL_NANOS = 500_000_000;

    private static String name(JsonNode node) {
        return Style.safe(node.path("node").asString());
    }

    @Command(
            name = "join",
            description = {
                "Make this home a node of the cluster whose ledger is at URL, or of a new one.",
                "Moves the home's ledger (roost ledger move), sets the URL in config.toml, and restarts the daemon.",
                "No run may be live here. Joining is idempotent."
            })
    static final class Join extends ClientCommand {

        @Parameters(paramLabel = "URL", description = "postgresql://user@host:5432/database")
        private String url;

        @Override
        public int call(DaemonClient client) {
            requirePerson("do this", "roost ledger");
            boolean ran = client.shutdown().isPresent();
            JsonNode done;
            try {
                done = new LedgerProcess(invocation, "join", url).run(json ? _ -> {} : LedgerCommand.Move::progress);
            } catch (CliError e) {
                if (ran) client.call("status", params()); // restart the daemon, without a cluster
                throw e;
            }
            var node = NodeListCommand.self(client);
            long runs = done.path("rows").path("run").asLong();
            var joined = name(node) + " has joined" + (runs == 0 ? "" : " with " + Amount.some(runs, "run"));
            return printLine(
                    node, joined + filled(done, "; the URL is in %s. `roost node list` shows all nodes.", "config"));
        }
    }

    @Command(
            name = "drain",
            description = {
                "Start no more runs on a node; its live runs continue there until they end.",
                "With --move, runs that can continue elsewhere are moved, with their work and conversation.",
                "Once it is empty, stop its daemon: the node leaves, and joins again when its daemon starts."
            })
    static final class Drain extends ClientCommand {

        @Parameters(paramLabel = "NAME", arity = "0..1", description = "the node (default: this one)")
        private @Nullable String node;

        @Option(names = "--move", description = "move the runs that can continue elsewhere")
        private boolean move;

        @Option(names = "--wait", description = "wait until the node has no live runs")
        private boolean wait;

        @Override
        public int call(DaemonClient client) {
            var params = params().put("move", move);
            if (node != null) params.put("node", node);
            var answer = client.call("node_drain", params);
            if (wait) answer = awaitEmpty(client, answer);
            if (answer.path("state").asString().equals("left")) return printLine(answer, "%s has left.", "node");
            var runs = Amount.some(answer.path("runs").asLong(), "run");
            return printLine(answer, "%s is draining; it has %s.".formatted(name(answer), runs));
        }

        private JsonNode awaitEmpty(DaemonClient client, JsonNode drained) {
            var now = drained;
            long printed = -1;
            while (now.path("runs").asLong() > 0) {
                long left = now.path("runs").asLong();
                if (!json && left != printed)
                    System.err.println("%s has %s".formatted(name(now), Amount.some(left, "run")));
                printed = left;
                LockSupport.parkNanos(POLL_NANOS);
                now = NodeListCommand.find(client, drained.path("node").asString());
                if (now.path("state").asString().equals("live"))
                    throw CliErrorCode.NODE_RESUMED.error("%s was resumed meanwhile.".formatted(name(now)));
            }
            return now;
        }
    }

    @Command(name = "resume", description = "Let a drained node start runs again.")
    static final class Resume extends ClientCommand {

        @Parameters(paramLabel = "NAME", description = "the node")
        private String node;

        @Override
        public int call(DaemonClient client) {
            return printLine(client.call("node_resume", params().put("node", node)), "%s is %s.", "node", "state");
        }
    }

    @Command(name = "forget", description = "Remove a lost node that has no live runs.")
    static final class Forget extends ClientCommand {

        @Parameters(paramLabel = "NAME", description = "the node")
        private String node;

        @Override
        public int call(DaemonClient client) {
            return printLine(client.callOnce("node_forget", params().put("node", node)), "%s is removed.", "node");
        }
    }
}
