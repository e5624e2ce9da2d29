package dev.roost.cli.run;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "report",
        description = {
            "Report pauses and ended runs.",
            "Shows each pause and its effect on runs, every end since, how far the code of each",
            "run got, and how to restore it."
        })
public final class ReportCommand extends ClientCommand {

    @Option(names = "--since", paramLabel = "TIME", description = "how far back (default: 24h)")
    private @Nullable String since;

    @Option(names = "--owner", paramLabel = "O", description = "only runs of this owner")
    private @Nullable String owner;

    @Override
    public int call(DaemonClient client) {
        var params = params();
        if (since != null) params.put("since", since);
        if (owner != null) params.put("owner", owner);
        return print(client.call("report", params), ActivityReportText::print);
    }
}
