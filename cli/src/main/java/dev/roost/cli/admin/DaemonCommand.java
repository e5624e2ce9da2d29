package dev.roost.cli.admin;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.CliErrorCode;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.CommandGroup;
import dev.roost.cli.client.DaemonClient;
import picocli.CommandLine.Command;
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
            ServiceCommands.Install.class,
            ServiceCommands.Uninstall.class
        })
public final class DaemonCommand extends CommandGroup {

    private static CliError none() {
        return CliErrorCode.NO_DAEMON.error("No daemon runs for this home.");
    }

    abstract static class StatusCommand extends ClientCommand {
        final int printStatus(JsonNode status) {
            var line = filled(status, "daemon %s serves %s, %s live (version %s)", "pid", "home", "live", "version");
            return printLine(
                    status,
                    line + (status.has("http") ? ", " + status.path("http").asString() : ""));
        }
    }

    @Command(name = "start", description = "Start the daemon, unless it runs.")
    static final class Start extends StatusCommand {
        @Override
        public int call(DaemonClient client) {
            return printStatus(client.call("status", params()));
        }
    }

    @Command(name = "status", description = "Print pid, home and version of the daemon.")
    static final class Status extends StatusCommand {
        @Override
        public int call(DaemonClient client) {
            return printStatus(client.callIfRunning("status", params()).orElseThrow(DaemonCommand::none));
        }
    }

    @Command(name = "stop", description = "Stop the daemon. Agents continue; the next daemon reattaches to them.")
    static final class Stop extends ClientCommand {
        @Override
        public int call(DaemonClient client) {
            var answer = client.shutdown().orElseThrow(DaemonCommand::none);
            return printLine(answer, "daemon %s stopped; %s live runs continue", "pid", "live");
        }
    }

    @Command(name = "run", description = "Run the daemon in the foreground (for systemd and similar).")
    static final class Run extends ClientCommand {
        @Override
        public int call(DaemonClient client) {
            throw CliErrorCode.USAGE.error( // without options, the launcher starts the daemon itself
                    "`roost daemon run` takes no options.",
                    "Run exactly `roost daemon run`, with the launcher script.");
        }
    }
}
