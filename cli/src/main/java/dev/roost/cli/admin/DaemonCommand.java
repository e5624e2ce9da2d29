package dev.roost.cli.admin;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.DaemonLauncher;
import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

@Command(
        name = "daemon",
        description = "Control the daemon of the home. Commands start it automatically.",
        mixinStandardHelpOptions = true,
        subcommands = {
            DaemonCommand.Start.class,
            DaemonCommand.Stop.class,
            DaemonCommand.Status.class,
            DaemonCommand.Run.class,
            LedgerBackup.Backup.class,
            LedgerBackup.Restore.class,
            ServiceInstallCommand.class,
            ServiceUninstallCommand.class
        })
public final class DaemonCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(System.out);
    }

    private static CliError none() {
        return new CliError(
                CliError.NO_DAEMON, "no_daemon", "No daemon runs for this home.", "`roost daemon start` starts one.");
    }

    private static void print(JsonNode status) {
        System.out.println("daemon %s serves %s, %d live (version %s)%s"
                .formatted(
                        status.path("pid").asString(),
                        status.path("home").asString(),
                        status.path("live").asInt(),
                        status.path("version").asString(),
                        status.path("http")
                                .asStringOpt()
                                .map(address -> ", " + address)
                                .orElse("")));
    }

    /** Stops the home's daemon and waits for its exit; empty if none runs. */
    public static Optional<JsonNode> stop(DaemonClient client) {
        var answer = client.callIfRunning("shutdown", ClientCommand.params());
        client.close();
        answer.flatMap(daemon -> ProcessHandle.of(daemon.path("pid").asLong())).ifPresent(DaemonLauncher::awaitEnd);
        return answer;
    }

    @Command(name = "start", description = "Start the daemon, unless it runs.")
    static final class Start extends ClientCommand {
        @Override
        public int call(DaemonClient client) {
            var status = client.call("status", params());
            if (json) printJson(status);
            else print(status);
            return 0;
        }
    }

    @Command(name = "status", description = "Print pid, home and version of the daemon.")
    static final class Status extends ClientCommand {
        @Override
        public int call(DaemonClient client) {
            var status = client.callIfRunning("status", params()).orElseThrow(DaemonCommand::none);
            if (json) printJson(status);
            else print(status);
            return 0;
        }
    }

    @Command(name = "stop", description = "Stop the daemon. Agents continue; the next daemon reattaches to them.")
    static final class Stop extends ClientCommand {
        @Override
        public int call(DaemonClient client) {
            var answer = DaemonCommand.stop(client).orElseThrow(DaemonCommand::none);
            if (json) printJson(answer);
            else
                System.out.println("daemon %s stopped; %d live runs continue"
                        .formatted(
                                answer.path("pid").asString(),
                                answer.path("live").asInt()));
            return 0;
        }
    }

    @Command(name = "run", description = "Run the daemon in the foreground (for systemd and similar).")
    static final class Run extends ClientCommand {
        @Override
        public int call(DaemonClient client) {
            throw new CliError( // without options, the launcher starts the daemon itself
                    CliError.USAGE,
                    "usage",
                    "`roost daemon run` takes no options.",
                    "Run exactly `roost daemon run`, with the launcher script.");
        }
    }
}
