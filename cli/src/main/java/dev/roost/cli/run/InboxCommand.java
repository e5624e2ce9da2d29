package dev.roost.cli.run;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.RunSummary;
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
        var answer = client.call("inbox", params);
        if (json) printJson(answer);
        else print(answer);
        return 0;
    }

    private int acknowledge(DaemonClient client, List<String> ids) {
        var params = params();
        var list = params.putArray("notice_ids");
        ids.forEach(list::add);
        var answer = client.call("acknowledge", params);
        if (json) printJson(answer);
        else
            System.out.println("Acknowledged %d of %d."
                    .formatted(answer.path("acknowledged").size(), ids.size()));
        return 0;
    }

    private static void print(JsonNode answer) {
        if (answer.path("notices").isEmpty()) {
            System.out.println("No pending notices.");
            return;
        }
        var rows = new ArrayList<List<String>>();
        for (var notice : answer.path("notices")) {
            String status = notice.path("status").asString("");
            boolean pause = notice.path("kind").asString().equals("pause");
            int left = notice.path("notice_id").asString().length()
                    + notice.path("owner").asString().length()
                    + 7;
            var text = notice.path("text")
                    .asString()
                    .lines()
                    .flatMap(line ->
                            Style.wrap(line, Style.TERMINAL ? Style.columns() - left : Integer.MAX_VALUE).stream())
                    .toList();
            rows.add(List.of(
                    Style.dim(notice.path("notice_id").asString()),
                    pause ? Style.yellow("‖") : Style.status(status, RunSummary.mark(status)),
                    Style.dim(Style.safe(notice.path("owner").asString())),
                    text.getFirst()));
            text.stream().skip(1).forEach(more -> rows.add(List.of("", "", "", more)));
        }
        TextTable.print(rows);
    }
}
