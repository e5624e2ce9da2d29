package dev.roost.cli;

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
final class PsCommand extends Common {

    @Option(names = "--all", description = "ended and read ones too")
    boolean all;

    @Option(names = "--owner", paramLabel = "O", description = "only this owner's")
    private @Nullable String owner;

    @Option(names = "--wide", description = "node, owner and agent too, and nothing cut off")
    private boolean wide;

    @Option(names = "--watch", description = "show it as it changes, until q or Ctrl-C")
    private boolean watch;

    @Override
    int call(Client client) {
        if (watch) {
            watch(client);
            return 0;
        }
        var params = params().put("filter", all ? "all" : "all_active");
        if (owner != null) params.put("owner", owner);
        var listing = new Listing(client.ask("list", params), all);
        if (json) printJson(listing.answer());
        else if (wide) listing.wide().forEach(System.out::println);
        else listing.lines(Style.columns(), Integer.MAX_VALUE).forEach(System.out::println);
        return 0;
    }

    private void watch(Client client) {
        var whose = Optional.ofNullable(owner);
        var once = params().put("limit", 1);
        whose.ifPresent(one -> once.put("owner", one));
        client.ask("list", once); // the first daemon is started here, as by every command, and a wrong owner is refused
        if (!json && WatchScreen.show(invocation, whose, all)) return;
        new Watch(client, whose, all)
                .show(json ? new StreamView(listing -> System.out.println(listing.answer())) : StreamView.ofTables());
    }
}
