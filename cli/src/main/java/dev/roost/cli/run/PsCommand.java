package dev.roost.cli.run;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.RunLines;
import dev.roost.cli.watch.PlainWatch;
import dev.roost.cli.watch.PlainWatchView;
import dev.roost.cli.watch.WatchScreen;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "ps",
        description = "Live runs, and ended ones that their owner has not read yet.",
        footer = {
            "",
            "--watch on a terminal is a full screen: open a run, follow its output, stop it, send it a message;",
            "? shows the keys. Down a pipe, it is the table anew at each change.",
            "With --watch and --json: one JSON document a line, a line for each change.",
            "Watching starts no second daemon: if the one there was is gone, it waits for the next."
        })
public final class PsCommand extends ClientCommand {

    @Option(names = "--all", description = "ended and read ones too")
    public boolean all;

    @Option(names = "--owner", paramLabel = "O", description = "only this owner's")
    private @Nullable String owner;

    @Option(names = "--wide", description = "node, owner and agent too, and nothing cut off")
    private boolean wide;

    @Option(names = "--watch", description = "show it as it changes, until q or Ctrl-C")
    private boolean watch;

    @Override
    public int call(DaemonClient client) {
        if (watch) {
            watch(client);
            return 0;
        }
        var params = params().put("filter", all ? "all" : "all_active");
        if (owner != null) params.put("owner", owner);
        var runLines = new RunLines(client.call("list", params), all);
        if (json) printJson(runLines.answer());
        else if (wide) runLines.wide().forEach(System.out::println);
        else runLines.lines(Style.columns(), Integer.MAX_VALUE).forEach(System.out::println);
        return 0;
    }

    private void watch(DaemonClient client) {
        var whose = Optional.ofNullable(owner);
        var once = params().put("limit", 1);
        whose.ifPresent(one -> once.put("owner", one));
        client.call(
                "list", once); // the first daemon is started here, as by every command, and a wrong owner is refused
        if (!json && WatchScreen.show(invocation, whose, all)) return;
        new PlainWatch(client, whose, all)
                .show(
                        json
                                ? new PlainWatchView(runLines -> System.out.println(runLines.answer()))
                                : PlainWatchView.ofTables());
    }
}
