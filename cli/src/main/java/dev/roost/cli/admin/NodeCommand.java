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
        description = "The machines of a cluster: docs/cluster.md. Any node answers for all.",
        mixinStandardHelpOptions = true,
        subcommands = {
            NodeListCommand.class,
            NodeCommand.Join.class,
            NodeCommand.Drain.class,
            NodeCommand.Resume.class,
            NodeCommand.Forget.class
        })
public final class NodeCommand implements Runnable {

    private static final long LOOK_EVERY_NANOS = 500_000_000;

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
                "All that the home knows goes along (roost ledger move), config.toml gets the address, and its daemon starts anew.",
                "No run may be live here. To do it again does no harm."
            })
    static final class Join extends ClientCommand {

        @Parameters(paramLabel = "URL", description = "postgresql://user@host:5432/database")
        @SuppressWarnings("NullAway.Init")
        private String url;

        @Override
        public int call(DaemonClient client) {
            LedgerCommand.persons(invocation);
            boolean ran = DaemonCommand.stop(client).isPresent();
            JsonNode done;
            try {
                done = new LedgerProcess(invocation, "join", url).run(json ? _ -> {} : LedgerCommand.Move::progress);
            } catch (CliError e) {
                if (ran) client.call("status", params()); // it goes on as it was
                throw e;
            }
            var node = NodeListCommand.self(client);
            if (json) printJson(node);
            else {
                long runs = done.path("rows").path("run").asLong();
                System.out.println("%s has joined%s; %s says so. `roost node list` shows all of them."
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
                "Give a node nothing more: what it has goes on there until it ends.",
                "With --move, what can go on elsewhere is stopped there and does, with its work and its conversation.",
                "Once it has nothing, stop its daemon: it has left then, and when it starts again it takes part again."
            })
    static final class Drain extends ClientCommand {

        @Parameters(paramLabel = "NAME", arity = "0..1", description = "the node; by default this one")
        private @Nullable String node;

        @Option(names = "--move", description = "stop what can go on elsewhere, and let it go on there")
        private boolean move;

        @Option(names = "--wait", description = "return when it has nothing any more")
        private boolean wait;

        @Override
        public int call(DaemonClient client) {
            var params = params().put("move", move);
            if (node != null) params.put("node", node);
            var answer = client.call("node_drain", params);
            if (wait) answer = empty(client, answer);
            if (json) printJson(answer);
            else if (answer.path("state").asString().equals("left"))
                System.out.println("%s has left.".formatted(name(answer)));
            else
                System.out.println("%s is given nothing more; it has %s."
                        .formatted(
                                name(answer),
                                RunSummary.some(answer.path("runs").asLong(), "run")));
            return 0;
        }

        private JsonNode empty(DaemonClient client, JsonNode drained) {
            var now = drained;
            long said = -1;
            while (now.path("runs").asLong() > 0) {
                long left = now.path("runs").asLong();
                if (!json && left != said)
                    System.err.println("%s has %s".formatted(name(now), RunSummary.some(left, "run")));
                said = left;
                LockSupport.parkNanos(LOOK_EVERY_NANOS);
                now = NodeListCommand.find(client, drained.path("node").asString());
                stillDrains(now);
            }
            return now;
        }

        private static void stillDrains(JsonNode node) {
            if (!node.path("state").asString().equals("live")) return;
            throw new CliError(
                    CliError.REFUSED,
                    "node_resumed",
                    "Somebody gave %s runs again meanwhile.".formatted(name(node)),
                    "Drain it again if that was a mistake.");
        }
    }

    @Command(name = "resume", description = "Give a node runs again.")
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

    @Command(name = "forget", description = "Remove a node that does not come back, and has nothing any more.")
    static final class Forget extends ClientCommand {

        @Parameters(paramLabel = "NAME", description = "the node")
        @SuppressWarnings("NullAway.Init")
        private String node;

        @Override
        public int call(DaemonClient client) {
            var answer = client.callOnce("node_forget", params().put("node", node));
            if (json) printJson(answer);
            else System.out.println("%s is forgotten.".formatted(name(answer)));
            return 0;
        }
    }
}
