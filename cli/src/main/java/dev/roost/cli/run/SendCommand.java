package dev.roost.cli.run;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.InteractiveUser;
import dev.roost.cli.client.StandardInput;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.OutputFollower;
import dev.roost.cli.view.RunEntry;
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
            "Send a message to a run: steer a live one, answer its question, or continue an ended one.",
            "Answer a permission question with `allow`, or `deny` and a reason; only a person may allow."
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
    private String id;

    @Parameters(
            index = "1..*",
            paramLabel = "MESSAGE",
            arity = "0..*",
            description = "the message (default, or -: read from stdin)")
    private @Nullable List<String> words;

    @Option(names = "--wait", description = "print its new output and wait for its end")
    private boolean wait;

    @Override
    public int call(DaemonClient client) {
        var message = message();
        long from = wait ? size(client.call("show", params().put("run_id", id))) : 0;
        var answer = client.callOnce(
                "send",
                InteractiveUser.origin(invocation, params().put("run_id", id).put("message", message)));
        var run = RunEntry.of(answer);
        if (wait) return json ? OutputFollower.json(client, run.id()) : OutputFollower.show(client, run.id(), from);
        // the question stays open until the agent has taken the answer
        var state = run.marked(run.has("question") ? run.status() + ", answer sent" : run.state());
        printLine(answer, state + Style.dim("  %s, attempt %d".formatted(run.title(), run.attempt())));
        if (!json && run.has("waits")) System.out.println("  " + Style.safe(run.text("waits")));
        return 0;
    }

    private String message() {
        if (words == null || words.isEmpty() || words.equals(List.of("-")))
            return StandardInput.read(
                    "The message is missing.", "Put the message after the run: roost send ID MESSAGE");
        return String.join(" ", words);
    }

    /** Length of the output so far, from which --wait continues. */
    private static long size(JsonNode run) {
        try {
            return Files.size(Path.of(run.path("output_file").asString()));
        } catch (IOException e) {
            return 0;
        }
    }
}
