package dev.roost.cli.admin;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.RunSummary;
import java.util.concurrent.locks.LockSupport;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
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
public final class NodeCommand implements Runnable {

    private static final long POLL_NANOS = 500_000_000;

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(System.out);
    }

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
        @SuppressWarnings("NullAway.Init")
        private String url;

        @Override
        public int call(DaemonClient client) {
            LedgerCommand.requirePerson(invocation);
            boolean ran = DaemonCommand.stop(client).isPresent();
            JsonNode done;
            try {
                done = new LedgerProcess(invocation, "join", url).run(json ? _ -> {} : LedgerCommand.Move::progress);
            } catch (CliError e) {
                if (ran) client.call("status", params()); // restart the daemon, without a cluster
                throw e;
            }
            var node = NodeListCommand.self(client);
            if (json) printJson(node);
            else {
                long runs = done.path("rows").path("run").asLong();
                System.out.println("%s has joined%s; the URL is in %s. `roost node list` shows all nodes."
                        .formatted(
                                name(node),
                                runs == 0 ? "" : " with " + RunSummary.some(runs, "run"),
                                done.path("config").asString()));
            }
            return 0;
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
            if (json) printJson(answer);
            else if (answer.path("state").asString().equals("left"))
                System.out.println("%s has left.".formatted(name(answer)));
            else
                System.out.println("%s is draining; it has %s."
                        .formatted(
                                name(answer),
                                RunSummary.some(answer.path("runs").asLong(), "run")));
            return 0;
        }

        private JsonNode awaitEmpty(DaemonClient client, JsonNode drained) {
            var now = drained;
            long printed = -1;
            while (now.path("runs").asLong() > 0) {
                long left = now.path("runs").asLong();
                if (!json && left != printed)
                    System.err.println("%s has %s".formatted(name(now), RunSummary.some(left, "run")));
                printed = left;
                LockSupport.parkNanos(POLL_NANOS);
                now = NodeListCommand.find(client, drained.path("node").asString());
                checkDraining(now);
            }
            return now;
        }

        private static void checkDraining(JsonNode node) {
            if (!node.path("state").asString().equals("live")) return;
            throw new CliError(
                    CliError.REFUSED,
                    "node_resumed",
                    "%s was resumed meanwhile.".formatted(name(node)),
                    "Drain it again if that was a mistake.");
        }
    }

    @Command(name = "resume", description = "Let a drained node start runs again.")
    static final class Resume extends ClientCommand {

        @Parameters(paramLabel = "NAME", description = "the node")
        @SuppressWarnings("NullAway.Init")
        private String node;

        @Override
        public int call(DaemonClient client) {
            var answer = client.call("node_resume", params().put("node", node));
            if (json) printJson(answer);
            else
                System.out.println(
                        "%s is %s.".formatted(name(answer), answer.path("state").asString()));
            return 0;
        }
    }

    @Command(name = "forget", description = "Remove a lost node that has no live runs.")
    static final class Forget extends ClientCommand {

        @Parameters(paramLabel = "NAME", description = "the node")
        @SuppressWarnings("NullAway.Init")
        private String node;

        @Override
        public int call(DaemonClient client) {
            var answer = client.callOnce("node_forget", params().put("node", node));
            if (json) printJson(answer);
            else System.out.println("%s is removed.".formatted(name(answer)));
            return 0;
        }
    }
}
