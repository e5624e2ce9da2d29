package dev.roost.cli.run;

import dev.roost.cli.client.CallerEnvironment;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.StandardInput;
import dev.roost.cli.client.Style;
import dev.roost.cli.client.Umask;
import dev.roost.cli.view.OutputFollower;
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
            "Start a run. It goes on in the background, whatever happens to this shell or to the daemon.",
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
            "By default an AI agent asks before it changes anything. fixer is one that does not:",
            "[agents.fixer] in config.toml, with driver = \"claude\" and permissions = \"all\"."
        })
public final class RunCommand extends ClientCommand {

    @Option(
            names = "--agent",
            paramLabel = "A",
            description =
                    "which agent; `roost agents` lists them (default: default_agent, else command, any command line)")
    private @Nullable String agent;

    @Option(names = "--owner", paramLabel = "O", description = "for whom, as harness:id (default: cli:<you>)")
    private @Nullable String owner;

    @Option(names = "--name", paramLabel = "N", description = "a name to find it by")
    private @Nullable String name;

    @Option(names = "--cwd", paramLabel = "DIR", description = "where it works (default: here)")
    private @Nullable Path cwd;

    @Option(names = "--max-time", paramLabel = "TIME", description = "how long it may run, e.g. 30m")
    private @Nullable String maxTime;

    @Option(names = "--max-tokens", paramLabel = "N", description = "how many tokens it may use, read and written")
    private @Nullable Long maxTokens;

    @Option(names = "--max-cost", paramLabel = "USD", description = "how many dollars it may cost, e.g. 2.50")
    private @Nullable BigDecimal maxCost;

    @Option(names = "--max-turns", paramLabel = "N", description = "how often the model may be asked")
    private @Nullable Long maxTurns;

    @Option(names = "--on-loss", paramLabel = "HOW", description = "resume or report, if its processes are lost")
    private @Nullable String onLoss;

    @Option(names = "--on", paramLabel = "TAG", description = "only on a node with this tag; may be given again")
    private @Nullable List<String> on;

    @Option(names = "--worktree", description = "give it a git worktree and a branch of its own")
    private boolean worktree;

    @Option(names = "--wait", description = "show its output and wait for its end")
    private boolean wait;

    @Parameters(
            paramLabel = "ARGV",
            arity = "0..*",
            description = "what to run, or the prompt for an agent; without it, that is read from stdin")
    private @Nullable List<String> words;

    @Override
    public int call(DaemonClient client) {
        var run = client.callOnce("start", request());
        String id = run.path("run_id").asString();
        if (!json) run.path("notes").forEach(note -> System.err.println("roost: " + Style.safe(note.asString())));
        if (!json && run.has("waits"))
            System.err.println("roost: it waits: " + Style.safe(run.get("waits").asString()) + ".");
        if (wait) return json ? OutputFollower.json(client, id) : OutputFollower.show(client, id, 0);
        if (json) {
            printJson(run);
        } else {
            System.out.println(id);
            if (Style.TERMINAL) {
                System.err.println(Style.dim("  follow it: roost output --follow " + id));
                System.err.println(
                        Style.dim("  its file:  " + run.path("output_file").asString()));
            }
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
        params.put(
                "cwd",
                invocation.absolute(cwd == null ? Path.of("") : cwd).normalize().toString());
        var environment = params.putObject("env");
        CallerEnvironment.of(invocation.environment()).forEach(environment::put);
        umask(params);
        invocation.variable("ROOST_RUN_ID").ifPresent(run -> params.put("inside", run));
        params.put("pid", ProcessHandle.current().pid());
        if (words == null || words.isEmpty())
            params.put(
                    "prompt",
                    StandardInput.read("There is nothing to run.", "Put a command after --: roost run -- make test"));
        else {
            var argv = params.putArray("argv");
            words.forEach(argv::add);
        }
        return params;
    }

    /** The agent's files get the modes they would have had in this shell. */
    private void umask(ObjectNode params) {
        Umask.ofThisProcess(invocation.environment()).ifPresent(umask -> params.put("umask", umask));
    }
}
