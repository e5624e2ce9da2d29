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
            "With --watch and --json: one JSON document a line, a line for each change.",
            "Watching starts no second daemon: if the one there was is gone, it waits for the next."
        })
final class PsCommand extends Common {

    @Option(names = "--all", description = "ended and read ones too")
    boolean all;

    @Option(names = "--owner", paramLabel = "O", description = "only this owner's")
    private @Nullable String owner;

    @Option(names = "--watch", description = "show it anew whenever it changes, until Ctrl-C")
    private boolean watch;

    @Override
    int call(Client client) {
        if (watch) {
            client.ask("status", params()); // the first daemon is started here, as by every command
            new Watch(client, Optional.ofNullable(owner), all).show(view());
            return 0;
        }
        var params = params().put("filter", all ? "all" : "all_active");
        if (owner != null) params.put("owner", owner);
        var listing = new Listing(client.ask("list", params), all);
        if (json) printJson(listing.answer());
        else listing.lines(Style.columns(), Integer.MAX_VALUE).forEach(System.out::println);
        return 0;
    }

    private WatchView view() {
        if (json) return new StreamView(listing -> System.out.println(listing.answer()));
        if (Screen.possible()) return new ScreenView(Screen.open());
        return StreamView.ofTables();
    }
}
