package dev.roost.cli;

import dev.roost.cli.admin.AgentsCommand;
import dev.roost.cli.admin.DaemonCommand;
import dev.roost.cli.admin.DoctorCommand;
import dev.roost.cli.admin.LedgerCommand;
import dev.roost.cli.admin.NodeCommand;
import dev.roost.cli.admin.NodesCommand;
import dev.roost.cli.admin.PruneCommand;
import dev.roost.cli.admin.RescueCommand;
import dev.roost.cli.admin.TokenCommand;
import dev.roost.cli.admin.TrustCommand;
import dev.roost.cli.admin.WebCommand;
import dev.roost.cli.client.CliError;
import dev.roost.cli.client.CliErrorCode;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.Invocation;
import dev.roost.cli.client.StandardOutput;
import dev.roost.cli.client.Style;
import dev.roost.cli.demo.DemoCommand;
import dev.roost.cli.install.HarnessEditCommand;
import dev.roost.cli.run.AdoptCommand;
import dev.roost.cli.run.InboxCommand;
import dev.roost.cli.run.OutputCommand;
import dev.roost.cli.run.PauseCommand;
import dev.roost.cli.run.PsCommand;
import dev.roost.cli.run.ReportCommand;
import dev.roost.cli.run.RestoreCommand;
import dev.roost.cli.run.ResumeCommand;
import dev.roost.cli.run.RunCommand;
import dev.roost.cli.run.SendCommand;
import dev.roost.cli.run.ShowCommand;
import dev.roost.cli.run.StopCommand;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.PrintStream;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;
import java.util.Set;
import picocli.CommandLine;
import picocli.CommandLine.Command;

/** {@code roost}. */
@Command(
        name = "roost",
        mixinStandardHelpOptions = true,
        versionProvider = CliMain.VersionProvider.class,
        description = {
            "Runs AI agents in the background and never loses one.",
            "Without a command, it shows your runs and suggests the next command.",
            ""
        },
        subcommands = {
            RunCommand.class,
            PsCommand.class,
            ShowCommand.class,
            OutputCommand.class,
            StopCommand.class,
            SendCommand.class,
            InboxCommand.class,
            ReportCommand.class,
            RestoreCommand.class,
            PauseCommand.class,
            ResumeCommand.class,
            AdoptCommand.class,
            RescueCommand.class,
            AgentsCommand.class,
            HarnessEditCommand.Install.class,
            HarnessEditCommand.Uninstall.class,
            TrustCommand.class,
            TokenCommand.class,
            WebCommand.class,
            NodeCommand.class,
            NodesCommand.class,
            LedgerCommand.class,
            DaemonCommand.class,
            DoctorCommand.class,
            PruneCommand.class,
            CompletionCommand.class,
            DemoCommand.class,
            BridgeCommands.Mcp.class,
            BridgeCommands.Hook.class,
            BridgeCommands.Socket.class,
            CompletionCommand.Runs.class
        },
        exitCodeListHeading = "%nExit codes:%n",
        exitCodeList = {
            "0:done; with --wait, --block and --follow: the run completed",
            "1:the run failed or was abandoned; or the command failed",
            "2:wrong usage",
            "3:no such run",
            "4:the daemon could not be reached or started",
            "5:refused",
            "124:the timeout expired first",
            "130:the run was canceled",
            "141:the reader of the output closed the pipe"
        },
        footer = {"", "Name a run by its id, an unambiguous prefix of it, or its name."})
public final class CliMain implements Runnable {

    private static final Set<String> FAST_FLAGS = Set.of("--all", "--json");

    private final Invocation invocation;

    CliMain(Invocation invocation) {
        this.invocation = invocation;
    }

    public static void main(String[] arguments) {
        System.setOut(new PrintStream(new StandardOutput(), true, StandardCharsets.UTF_8));
        System.setErr(new PrintStream(new FileOutputStream(FileDescriptor.err), true, StandardCharsets.UTF_8));
        System.exit(run(Invocation.ofThisProcess(), arguments));
    }

    /** Runs the command on the standard streams of this JVM and returns its exit code. */
    public static int run(Invocation invocation, String... arguments) {
        int exit = execute(invocation, arguments);
        if (exit != 0 || !System.out.checkError()) return exit;
        var unwritten = CliError.unwritten();
        unwritten.print(false);
        return unwritten.exit();
    }

    private static int execute(Invocation invocation, String... arguments) {
        boolean json = List.of(arguments).stream()
                .takeWhile(word -> !word.equals("--")) // the rest are the agent's arguments
                .anyMatch("--json"::equals);
        try {
            var ps = fastPath(invocation, List.of(arguments));
            return ps.isPresent() ? ps.get().call() : parse(invocation, json, arguments);
        } catch (Exception e) {
            return printError(e, json);
        }
    }

    /** {@code ps} with only the most frequent options. Does not load picocli, which halves the command's time. */
    private static Optional<PsCommand> fastPath(Invocation invocation, List<String> words) {
        if (words.isEmpty() || !words.getFirst().equals("ps")) return Optional.empty();
        var flags = words.subList(1, words.size());
        if (!FAST_FLAGS.containsAll(flags)) return Optional.empty();
        var ps = new PsCommand();
        ps.invocation = invocation;
        ps.all = flags.contains("--all");
        ps.json = flags.contains("--json");
        return Optional.of(ps);
    }

    private static int parse(Invocation invocation, boolean json, String... arguments) {
        var line = new CommandLine(new CliMain(invocation), new Commands(invocation));
        line.setUsageHelpAutoWidth(true);
        line.setColorScheme(CommandLine.Help.defaultColorScheme(
                Style.TERMINAL ? CommandLine.Help.Ansi.AUTO : CommandLine.Help.Ansi.OFF));
        line.setExecutionExceptionHandler((e, _, _) -> printError(e, json));
        line.setParameterExceptionHandler((e, _) -> {
            String command = e.getCommandLine().getCommandSpec().qualifiedName();
            CliErrorCode.USAGE
                    .error(e.getMessage() + ".", "See `%s --help`.".formatted(command))
                    .print(json);
            return CliError.USAGE;
        });
        return line.execute(arguments);
    }

    private static int printError(Exception e, boolean json) {
        var error = e instanceof CliError known ? known : CliError.internal(e);
        error.print(json);
        return error.exit();
    }

    @Override
    public void run() {
        StatusOverview.lines(invocation).forEach(System.out::println);
    }

    /** Creates the commands of one command line and sets their invocation. */
    private record Commands(Invocation invocation) implements CommandLine.IFactory {
        @Override
        public <K> K create(Class<K> type) throws Exception {
            var created = CommandLine.defaultFactory().create(type);
            if (created instanceof ClientCommand command) command.invocation = invocation;
            return created;
        }
    }

    static final class VersionProvider implements CommandLine.IVersionProvider {
        @Override
        public String[] getVersion() {
            return new String[] {"roost " + Invocation.version()};
        }
    }
}
