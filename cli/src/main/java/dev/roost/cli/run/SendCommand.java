package dev.roost.cli.run;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.InteractiveUser;
import dev.roost.cli.client.StandardInput;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.OutputFollower;
import dev.roost.cli.view.RunSummary;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

@Command(
        name = "send",
        description = {
            "Tell a run something: steer a live one, answer its question, or continue one that has ended.",
            "A question for permission is answered by `allow`, or by `deny` and why; only a person may allow."
        },
        footer = {
            "",
            "Examples:",
            "  roost send nightly leave the tests alone",
            "  roost send nightly allow",
            "  roost send nightly deny it is not ours",
            "  roost send --wait nightly and now the documentation",
            "  git diff | roost send nightly -"
        })
public final class SendCommand extends ClientCommand {

    @Parameters(index = "0", paramLabel = "ID", description = "the run")
    @SuppressWarnings("NullAway.Init")
    private String id;

    @Parameters(
            index = "1..*",
            paramLabel = "MESSAGE",
            arity = "0..*",
            description = "what to tell it; without it, or as -, it is read from stdin")
    private @Nullable List<String> words;

    @Option(names = "--wait", description = "show its output from now on and wait for its end")
    private boolean wait;

    @Override
    public int call(DaemonClient client) {
        var message = message();
        long from = wait ? size(client.call("show", params().put("run_id", id))) : 0;
        var run = client.callOnce(
                "send",
                InteractiveUser.origin(invocation, params().put("run_id", id).put("message", message)));
        String found = run.path("run_id").asString();
        if (wait) return json ? OutputFollower.json(client, found) : OutputFollower.show(client, found, from);
        if (json) {
            printJson(run);
        } else {
            String status = run.path("status").asString();
            // until the agent has taken its answer, the question is still there
            String state = run.has("question") ? status + ", the answer is on its way" : RunSummary.state(run);
            System.out.println(Style.status(status, RunSummary.mark(status) + " " + state)
                    + Style.dim("  %s, attempt %d"
                            .formatted(
                                    RunSummary.title(run), run.path("attempt").asInt())));
            if (run.has("waits"))
                System.out.println("  " + Style.safe(run.get("waits").asString()));
        }
        return 0;
    }

    private String message() {
        if (words == null || words.isEmpty() || words.equals(List.of("-")))
            return StandardInput.read(
                    "There is nothing to send.", "Put the message after the run: roost send ID MESSAGE");
        return String.join(" ", words);
    }

    /** What it said before this is not shown again. */
    private static long size(JsonNode run) {
        try {
            return Files.size(Path.of(run.path("output_file").asString()));
        } catch (IOException e) {
            return 0;
        }
    }
}
