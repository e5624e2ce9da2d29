package dev.roost.cli.run;

import dev.roost.cli.client.CallerEnvironment;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.StandardInput;
import dev.roost.cli.client.Style;
import dev.roost.cli.client.Umask;
import dev.roost.cli.view.OutputFollower;
import dev.roost.cli.view.RunEntry;
import java.math.BigDecimal;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "run",
        description = {
            "Start a run in the background. It survives the end of this shell and of the daemon.",
            "Prints the run's id."
        },
        footer = {
            "",
            "Examples:",
            "  roost run -- make test",
            "  roost run --name nightly --max-time 2h -- ./nightly.sh",
            "  roost run --wait -- sh -c 'make && make install'",
            "  echo 'make && make install' | roost run",
            "  roost run --agent claude --max-cost 2.50 -- find out why the build is slow",
            "  roost run --agent fixer --worktree -- fix the flaky test and commit",
            "",
            "By default an AI agent asks before it changes anything. fixer here does not ask:",
            "[agents.fixer] in config.toml, with driver = \"claude\" and permissions = \"all\"."
        })
public final class RunCommand extends ClientCommand {

    @Option(
            names = "--agent",
            paramLabel = "A",
            description = "the agent, see `roost agents` (default: default_agent, else command: any command line)")
    private @Nullable String agent;

    @Option(names = "--owner", paramLabel = "O", description = "owner of the run, as harness:id (default: cli:<you>)")
    private @Nullable String owner;

    @Option(names = "--name", paramLabel = "N", description = "name of the run")
    private @Nullable String name;

    @Option(names = "--cwd", paramLabel = "DIR", description = "working directory (default: here)")
    private @Nullable Path cwd;

    @Option(names = "--max-time", paramLabel = "TIME", description = "time budget, e.g. 30m")
    private @Nullable String maxTime;

    @Option(names = "--max-tokens", paramLabel = "N", description = "token budget, input and output")
    private @Nullable Long maxTokens;

    @Option(names = "--max-cost", paramLabel = "USD", description = "cost budget in dollars, e.g. 2.50")
    private @Nullable BigDecimal maxCost;

    @Option(names = "--max-turns", paramLabel = "N", description = "maximum of turns of the model")
    private @Nullable Long maxTurns;

    @Option(names = "--on-loss", paramLabel = "HOW", description = "resume or report, if the run is lost")
    private @Nullable String onLoss;

    @Option(names = "--on", paramLabel = "TAG", description = "only on a node with this tag; repeatable")
    private @Nullable List<String> on;

    @Option(names = "--worktree", description = "work in a new git worktree and branch")
    private boolean worktree;

    @Option(names = "--wait", description = "print its output and wait for its end")
    private boolean wait;

    @Parameters(
            paramLabel = "ARGV",
            arity = "0..*",
            description = "the command, or the prompt for an agent (default: read from stdin)")
    private @Nullable List<String> words;

    @Override
    public int call(DaemonClient client) {
        var answer = client.callOnce("start", request());
        var run = RunEntry.of(answer);
        var id = run.id();
        if (!json) answer.path("notes").forEach(note -> System.err.println("roost: " + Style.safe(note.asString())));
        if (!json && run.has("waits")) System.err.println("roost: waiting: " + Style.safe(run.text("waits")) + ".");
        if (wait) return json ? OutputFollower.json(client, id) : OutputFollower.show(client, id, 0);
        printLine(answer, id);
        if (!json && Style.TERMINAL) {
            System.err.println(Style.dim("  follow it: roost output --follow " + id));
            System.err.println(Style.dim("  its file:  " + run.text("output_file")));
        }
        return 0;
    }

    private ObjectNode request() {
        var params = params();
        if (agent != null) params.put("agent", agent);
        if (owner != null) params.put("owner", owner);
        if (name != null) params.put("name", name);
        if (maxTime != null) params.put("max_time", maxTime);
        if (maxTokens != null) params.put("max_tokens", maxTokens);
        if (maxCost != null) params.put("max_cost_usd", maxCost);
        if (maxTurns != null) params.put("max_turns", maxTurns);
        if (onLoss != null) params.put("on_loss", onLoss);
        if (on != null) on.forEach(params.putArray("on")::add);
        if (worktree) params.put("worktree", true);
        params.put("cwd", invocation.normalized(cwd));
        var environment = params.putObject("env");
        CallerEnvironment.of(invocation.environment()).forEach(environment::put);
        Umask.ofThisProcess(invocation.environment()).ifPresent(umask -> params.put("umask", umask));
        invocation.variable("ROOST_RUN_ID").ifPresent(run -> params.put("inside", run));
        params.put("pid", ProcessHandle.current().pid());
        if (words == null || words.isEmpty())
            params.put(
                    "prompt",
                    StandardInput.read(
                            "The command or prompt is missing.", "Put a command after --: roost run -- make test"));
        else words.forEach(params.putArray("argv")::add);
        return params;
    }
}
