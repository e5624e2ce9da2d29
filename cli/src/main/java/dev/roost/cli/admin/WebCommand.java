package dev.roost.cli.admin;

import dev.roost.cli.client.CallerEnvironment;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.InteractiveUser;
import dev.roost.cli.client.Style;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;
import tools.jackson.databind.JsonNode;

@Command(
        name = "web",
        description = "Print a link that signs a browser in to the page, once and within five minutes.",
        footer = {
            "",
            "The browser stays signed in for 30 days; `roost token list` shows it and `roost token revoke` signs it out.",
            "On another machine: ssh -L PORT:127.0.0.1:PORT HOST, then open the link there."
        })
public final class WebCommand extends ClientCommand {

    @Option(names = "--open", description = "open it in the default browser")
    private boolean open;

    @Override
    public int call(DaemonClient client) {
        requirePerson("open the page", "roost web");
        return print(client.call("web", InteractiveUser.origin(invocation, params())), this::print);
    }

    private void print(JsonNode answer) {
        var link = answer.path("link").asString();
        System.out.println(link);
        if (open) show(link);
        else if (Style.TERMINAL)
            System.err.println(Style.dim("Valid once, for five minutes. --open opens it in the browser."));
    }

    private void show(String link) {
        boolean mac = System.getProperty("os.name").toLowerCase(Locale.ROOT).startsWith("mac");
        try {
            var browser = new ProcessBuilder(List.of(mac ? "open" : "xdg-open", link))
                    .redirectOutput(ProcessBuilder.Redirect.DISCARD)
                    .redirectError(ProcessBuilder.Redirect.DISCARD);
            CallerEnvironment.give(invocation.environment(), browser.environment());
            browser.start();
        } catch (IOException e) {
            System.err.println("No browser could be opened (%s); open the link yourself.".formatted(e.getMessage()));
        }
    }
}
