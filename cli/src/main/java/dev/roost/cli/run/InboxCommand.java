package dev.roost.cli.run;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.RunEntry;
import dev.roost.cli.view.TextTable;
import java.util.ArrayList;
import java.util.List;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

@Command(name = "inbox", description = "List pending notices. Reading a run acknowledges its notice.")
public final class InboxCommand extends ClientCommand {

    @Option(names = "--owner", paramLabel = "O", description = "only notices of this owner")
    private @Nullable String owner;

    @Option(names = "--ack", paramLabel = "ID", arity = "1..*", description = "acknowledge these notices")
    private @Nullable List<String> acknowledge;

    @Override
    public int call(DaemonClient client) {
        if (acknowledge != null) return acknowledge(client, acknowledge);
        var params = params();
        if (owner != null) params.put("owner", owner);
        return print(client.call("inbox", params), InboxCommand::print);
    }

    private int acknowledge(DaemonClient client, List<String> ids) {
        var params = params();
        ids.forEach(params.putArray("notice_ids")::add);
        var answer = client.call("acknowledge", params);
        return printLine(
                answer,
                "Acknowledged %d of %d.".formatted(answer.path("acknowledged").size(), ids.size()));
    }

    private static void print(JsonNode answer) {
        if (answer.path("notices").isEmpty()) {
            System.out.println("No pending notices.");
            return;
        }
        var rows = new ArrayList<List<String>>();
        for (var notice : answer.path("notices")) {
            var id = notice.path("notice_id").asString();
            var owner = notice.path("owner").asString();
            var status = notice.path("status").asString("");
            boolean pause = notice.path("kind").asString().equals("pause");
            int width = Style.TERMINAL ? Style.columns() - id.length() - owner.length() - 7 : Integer.MAX_VALUE;
            var text = notice.path("text")
                    .asString()
                    .lines()
                    .flatMap(line -> Style.wrap(line, width).stream())
                    .toList();
            rows.add(List.of(
                    Style.dim(id),
                    pause ? Style.yellow("‖") : Style.status(status, RunEntry.mark(status)),
                    Style.dim(Style.safe(owner)),
                    text.getFirst()));
            text.stream().skip(1).forEach(more -> rows.add(List.of("", "", "", more)));
        }
        TextTable.print(rows);
    }
}
