package dev.roost.cli.run;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.RunTable;
import dev.roost.cli.watch.PlainWatch;
import dev.roost.cli.watch.WatchScreen;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "ps",
        description = "List live runs, and ended ones that their owner has not read yet.",
        footer = {
            "",
            "--watch on a terminal is a full screen: open a run, follow its output, stop it, send it a message;",
            "? shows the keys. In a pipe, it prints the table at each change.",
            "With --watch and --json: one JSON document a line for each change.",
            "--watch does not restart a daemon that exits: it waits for the next one."
        })
public final class PsCommand extends ClientCommand {

    @Option(names = "--all", description = "also runs that are ended and read")
    public boolean all;

    @Option(names = "--owner", paramLabel = "O", description = "only runs of this owner")
    private @Nullable String owner;

    @Option(names = "--wide", description = "also node, owner and agent; nothing is cut off")
    private boolean wide;

    @Option(names = "--watch", description = "update the list until q or Ctrl-C")
    private boolean watch;

    @Override
    public int call(DaemonClient client) {
        if (watch) {
            watch(client);
            return 0;
        }
        var params = params().put("filter", all ? "all" : "all_active");
        if (owner != null) params.put("owner", owner);
        return print(client.call("list", params), answer -> {
            var table = new RunTable(answer, all);
            var lines = wide ? table.wide() : table.lines(Style.columns(), Integer.MAX_VALUE);
            lines.forEach(System.out::println);
        });
    }

    private void watch(DaemonClient client) {
        var ownerFilter = Optional.ofNullable(owner);
        var once = params().put("limit", 1);
        ownerFilter.ifPresent(one -> once.put("owner", one));
        client.call("list", once); // starts the daemon, as every command does, and refuses a wrong owner
        if (!json && WatchScreen.show(invocation, ownerFilter, all)) return;
        new PlainWatch(client, ownerFilter, all).show(json);
    }
}
