package dev.roost.cli.admin;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "rotate-key",
        description = {
            "Put a new key in the place of the one that signs the tokens of this cluster, on all of its nodes.",
            "All tokens end with the old one, browsers' too; runs go on. For a key or a back-up that got into wrong hands,",
            "and after a back-up was restored, in which tokens are good that were revoked since."
        })
final class TokenRotateKeyCommand extends ClientCommand {

    @Option(names = "--yes", description = "end all tokens; without it, this only says how many those are")
    private boolean yes;

    @Override
    public int call(DaemonClient client) {
        if (!yes) return ask(client);
        var answer = client.callOnce("token_rotate_key", TokenCommand.persons(invocation, params()));
        if (json) printJson(answer);
        else
            System.out.println("There is a new key. Tokens that let nobody in any more: %d."
                    .formatted(answer.path("revoked").asInt()));
        return 0;
    }

    private int ask(DaemonClient client) {
        var tokens = client.call("tokens", TokenCommand.persons(invocation, params()))
                .path("tokens");
        throw new CliError(
                CliError.USAGE,
                "not_confirmed",
                "A new key ends all tokens, of which there are %d, and nothing was done.".formatted(tokens.size()),
                "`roost token list` shows them; `roost token rotate-key --yes` does it.");
    }
}
