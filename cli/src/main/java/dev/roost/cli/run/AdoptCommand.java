package dev.roost.cli.run;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.InteractiveUser;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.RunEntry;
import java.util.List;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;

@Command(
        name = "adopt",
        description = {
            "Assign runs of an ended session to another one, which can read them and gets their notices.",
            "Only a person may do that. Assigns all of the runs, or none."
        })
public final class AdoptCommand extends ClientCommand {

    @Parameters(paramLabel = "ID", arity = "1..*", description = "the runs")
    private List<String> ids;

    @Option(
            names = "--to",
            required = true,
            paramLabel = "OWNER",
            description = "the new owner, such as claude:SESSION")
    private String to;

    @Override
    public int call(DaemonClient client) {
        requirePerson("assign runs to another session", "roost adopt");
        var params = params().put("to", to);
        ids.forEach(params.putArray("run_ids")::add);
        return print(client.callOnce("adopt", InteractiveUser.origin(invocation, params)), this::printNewOwner);
    }

    private void printNewOwner(JsonNode answer) {
        for (var run : RunEntry.all(answer))
            System.out.println("%s now belongs to %s.".formatted(run.title(), Style.safe(to)));
    }
}
