package dev.roost.cli;

import java.util.Optional;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Spec;
import tools.jackson.databind.JsonNode;

@Command(
        name = "daemon",
        description = "The process that holds the home. Commands start it by themselves.",
        mixinStandardHelpOptions = true,
        subcommands = {
            DaemonCommand.Start.class,
            DaemonCommand.Stop.class,
            DaemonCommand.Status.class,
            DaemonCommand.Run.class,
            LedgerCopies.Backup.class,
            LedgerCopies.Restore.class,
            ServiceInstall.class,
            ServiceUninstall.class
        })
final class DaemonCommand implements Runnable {

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

    /** Stops the daemon of the home and waits for its end; empty if none runs. */
    static Optional<JsonNode> stop(Client client) {
        var answer = client.askIfRunning("shutdown", Common.params());
        client.close();
        answer.flatMap(daemon -> ProcessHandle.of(daemon.path("pid").asLong())).ifPresent(DaemonProcess::awaitEnd);
        return answer;
    }

    @Command(name = "start", description = "Start it, if it does not run.")
    static final class Start extends Common {
        @Override
        int call(Client client) {
            var status = client.ask("status", params());
            if (json) printJson(status);
            else print(status);
            return 0;
        }
    }

    @Command(name = "status", description = "Whether it runs, and for which home.")
    static final class Status extends Common {
        @Override
        int call(Client client) {
            var status = client.askIfRunning("status", params()).orElseThrow(DaemonCommand::none);
            if (json) printJson(status);
            else print(status);
            return 0;
        }
    }

    @Command(name = "stop", description = "Stop it. The agents go on; the next daemon finds them again.")
    static final class Stop extends Common {
        @Override
        int call(Client client) {
            var answer = DaemonCommand.stop(client).orElseThrow(DaemonCommand::none);
            if (json) printJson(answer);
            else
                System.out.println("daemon %s stopped; %d live runs go on"
                        .formatted(
                                answer.path("pid").asString(),
                                answer.path("live").asInt()));
            return 0;
        }
    }

    @Command(name = "run", description = "Be the daemon, in the foreground (for systemd and the like).")
    static final class Run extends Common {
        @Override
        int call(Client client) {
            throw new CliError( // without options the launcher has become the daemon itself
                    CliError.USAGE,
                    "usage",
                    "`roost daemon run` takes no options.",
                    "Say just that, by the file `roost` itself.");
        }
    }
}
