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
            "Assign runs of an ended session to another one, which can read them and gets their notices.",
            "Only a person may do that. Assigns all of the runs, or none."
        })
public final class AdoptCommand extends ClientCommand {

    @Parameters(paramLabel = "ID", arity = "1..*", description = "the runs")
    @SuppressWarnings("NullAway.Init")
    private List<String> ids;

    @Option(
            names = "--to",
            required = true,
            paramLabel = "OWNER",
            description = "the new owner, such as claude:SESSION")
    @SuppressWarnings("NullAway.Init")
    private String to;

    @Override
    public int call(DaemonClient client) {
        if (!InteractiveUser.isTyping(invocation.environment())) {
            throw new CliError(
                    CliError.REFUSED,
                    "person_required",
                    "Only a person may assign runs to another session, and this is inside a run or a harness.",
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
            System.out.println("%s now belongs to %s.".formatted(RunSummary.title(run), Style.safe(to)));
        return 0;
    }
}
