package dev.roost.cli.admin;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import picocli.CommandLine.Command;
import picocli.CommandLine.Option;

@Command(
        name = "rotate-key",
        description = {
            "Replace the key that signs this cluster's tokens, on all nodes.",
            "Revokes all tokens, browser sessions too; runs continue. For a leaked key or backup, and after",
            "restoring a backup, in which tokens are valid that were revoked since."
        })
final class TokenRotateKeyCommand extends ClientCommand {

    @Option(names = "--yes", description = "revoke all tokens; without it, only print their number")
    private boolean yes;

    @Override
    public int call(DaemonClient client) {
        if (!yes) return ask(client);
        var answer = client.callOnce("token_rotate_key", TokenCommand.requirePerson(invocation, params()));
        if (json) printJson(answer);
        else
            System.out.println("The key is replaced. Tokens revoked: %d."
                    .formatted(answer.path("revoked").asInt()));
        return 0;
    }

    private int ask(DaemonClient client) {
        var tokens = client.call("tokens", TokenCommand.requirePerson(invocation, params()))
                .path("tokens");
        throw new CliError(
                CliError.USAGE,
                "not_confirmed",
                "A new key revokes all %d tokens; nothing was changed.".formatted(tokens.size()),
                "`roost token list` shows them; `roost token rotate-key --yes` replaces the key.");
    }
}
