package dev.roost.cli.run;

import dev.roost.cli.client.CliErrorCode;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.OutputFollower;
import dev.roost.cli.view.RunEntry;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "output",
        description = {"Print the result of an ended run, or the output so far of a live one."},
        footer = {
            "",
            "With --block or --follow, the exit code is that of the run's end; 124 if the timeout expired first."
        })
public final class OutputCommand extends ClientCommand {

    @Parameters(paramLabel = "ID", description = "the run")
    private String id;

    @Option(names = "--follow", description = "print new output until the run ends")
    private boolean follow;

    @Option(names = "--block", description = "wait for the run's end")
    private boolean block;

    @Option(names = "--timeout", paramLabel = "TIME", description = "timeout of --block, e.g. 5m (default: 30s)")
    private @Nullable String timeout;

    @Option(names = "--cursor", paramLabel = "N", description = "print the output after this position")
    private @Nullable Long cursor;

    @Option(names = "--attempt", paramLabel = "N", description = "output of this attempt (default: the latest)")
    private @Nullable Integer attempt;

    @Option(names = "--raw", description = "the agent's unchanged output stream")
    private boolean raw;

    @Override
    public int call(DaemonClient client) {
        if (raw && json)
            throw CliErrorCode.USAGE.error(
                    "--raw prints the agent's own stream, so it cannot be combined with --json.",
                    "Omit --raw or --json.");
        if (raw) return raw(client);
        if (follow && timeout != null)
            throw CliErrorCode.USAGE.error(
                    "--timeout needs --block and does not work with --follow.", "Omit one of them.");
        if (follow)
            return json
                    ? OutputFollower.json(client, id)
                    : OutputFollower.show(client, id, cursor == null ? 0 : cursor);
        var params = params().put("run_id", id);
        if (block) params.put("block", true);
        if (timeout != null) params.put("timeout_ms", timeout);
        if (attempt != null) params.put("attempt", attempt);
        if (cursor != null) params.put("cursor", cursor);
        var output = client.call("output", params);
        if (json) printJson(output);
        else print(client, params, output);
        return block ? RunEntry.of(output).exitCode() : 0;
    }

    private void print(DaemonClient client, ObjectNode params, JsonNode output) {
        var run = RunEntry.of(output);
        boolean finished = run.ended() || run.has("result"); // its process is about to exit
        if (finished && cursor == null) {
            OutputFollower.printResult(output);
        } else {
            var part = output;
            System.out.print(part.path("text").asString());
            while (part.path("more").asBoolean(false)) {
                params.put("block", false)
                        .put("cursor", part.path("next_cursor").asLong());
                part = client.call("output", params);
                System.out.print(part.path("text").asString());
            }
            System.out.flush();
        }
        if (run.ended() && run.exitCode() != 0) {
            System.err.println(run.end());
            String stderr = output.path("evidence").path("stderr_tail").asString("");
            stderr.lines().forEach(line -> System.err.println(Style.red("│ ") + Style.safe(line)));
        } else if (!run.ended() && Style.TERMINAL) {
            System.err.println(Style.dim("(%s; roost output --follow %s)".formatted(run.state(), id)));
        }
        if (output.path("timed_out").asBoolean(false)) {
            System.err.println("roost: still %s after %d ms"
                    .formatted(run.state(), output.path("waited_ms").asLong()));
        }
    }

    private int raw(DaemonClient client) {
        var run = client.call("show", params().put("run_id", id));
        int latest = run.path("attempt").asInt();
        int n = attempt == null ? latest : attempt;
        if (n < 1 || n > latest)
            throw CliErrorCode.NO_SUCH_ATTEMPT.error(
                    "Run %s has no attempt %d.".formatted(id, n), "Its attempts are 1 to %d.".formatted(latest));
        var directory = Path.of(run.path("output_file").asString()).resolveSibling(Integer.toString(n));
        try {
            if (Files.exists(directory.resolve("out"))) Files.copy(directory.resolve("out"), System.out);
            System.out.flush();
        } catch (IOException e) {
            throw CliErrorCode.NO_STREAM.error("The stream cannot be read: %s.".formatted(e.getMessage()));
        }
        return 0;
    }
}
