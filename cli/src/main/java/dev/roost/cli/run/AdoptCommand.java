package dev.roost.cli.run;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.InteractiveUser;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.RunSummary;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;

@Command(
        name = "adopt",
        description = {
            "Give runs of a session that is gone to another one, which is told of their ends and can read them.",
            "Only a person may do that; all of them are given, or none."
        })
public final class AdoptCommand extends ClientCommand {

    @Parameters(paramLabel = "ID", arity = "1..*", description = "the runs")
    @SuppressWarnings("NullAway.Init")
    private List<String> ids;

    @Option(
            names = "--to",
            required = true,
            paramLabel = "OWNER",
            description = "the session that is to have them, such as claude:SESSION")
    @SuppressWarnings("NullAway.Init")
    private String to;

    @Override
    public int call(DaemonClient client) {
        if (!InteractiveUser.isTyping(invocation.environment())) {
            throw new CliError(
                    CliError.REFUSED,
                    "person_required",
                    "Only a person may give a session the runs of another one, and this is inside a run or a harness.",
                    "Ask the user to run `roost adopt` in a plain shell.");
        }
        var params = params().put("to", to);
        ids.forEach(params.putArray("run_ids")::add);
        var answer = client.callOnce("adopt", InteractiveUser.origin(invocation, params));
        if (json) {
            printJson(answer);
            return 0;
        }
        for (var run : answer.path("runs"))
            System.out.println("%s is %s's now.".formatted(RunSummary.title(run), Style.safe(to)));
        return 0;
    }
}
