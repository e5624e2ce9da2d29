package dev.roost.cli.admin;

import dev.roost.cli.client.CliError;
import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.InteractiveUser;
import dev.roost.cli.client.Invocation;
import dev.roost.cli.client.Style;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "token",
        description = {
            "Tokens for programs that use Roost over HTTP, each for one owner and with a limited scope.",
            "Only a person may create, list and revoke them."
        },
        mixinStandardHelpOptions = true,
        subcommands = {
            TokenCreateCommand.class,
            TokenListCommand.class,
            TokenCommand.Revoke.class,
            TokenRotateKeyCommand.class
        })
public final class TokenCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(System.out);
    }

    /** Adds the caller's origin to the request; refuses callers that are not a person. */
    static ObjectNode requirePerson(Invocation invocation, ObjectNode params) {
        if (InteractiveUser.isTyping(invocation.environment())) return InteractiveUser.origin(invocation, params);
        throw new CliError(
                CliError.REFUSED,
                "person_required",
                "Only a person may create, list and revoke tokens, and this is inside a run or a harness.",
                "Ask the user to run `roost token` in a plain shell.");
    }

    @Command(name = "revoke", description = "Revoke a token. Its runs continue.")
    static final class Revoke extends ClientCommand {

        @Parameters(paramLabel = "ID", description = "such as t_1k2j3h4g5f; `roost token list` shows them")
        @SuppressWarnings("NullAway.Init")
        private String id;

        @Override
        public int call(DaemonClient client) {
            var answer = client.callOnce("token_revoke", requirePerson(invocation, params().put("token_id", id)));
            if (json) printJson(answer);
            else System.out.println("%s is revoked.".formatted(Style.safe(id)));
            return 0;
        }
    }
}
