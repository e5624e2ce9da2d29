package dev.roost.cli;

import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Parameters;
import picocli.CommandLine.Spec;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "token",
        description = {
            "Tokens with which programs come in over HTTP, each for one owner and bound to what you give it.",
            "Only a person may make, list and revoke them."
        },
        mixinStandardHelpOptions = true,
        subcommands = {TokenCreate.class, TokenList.class, TokenCommand.Revoke.class, TokenRotateKey.class})
final class TokenCommand implements Runnable {

    @Spec
    @SuppressWarnings("NullAway.Init")
    private CommandSpec spec;

    @Override
    public void run() {
        spec.commandLine().usage(System.out);
    }

    /** What only a person may send. */
    static ObjectNode persons(Invocation invocation, ObjectNode params) {
        if (Person.types(invocation.environment())) return Person.origin(invocation, params);
        throw new CliError(
                CliError.REFUSED,
                "a_person_gives_tokens",
                "Only a person may make, list and revoke tokens, and this is inside a run or a harness.",
                "Ask the user to run `roost token` in a plain shell.");
    }

    @Command(name = "revoke", description = "Let nobody in with it any more. Its runs go on.")
    static final class Revoke extends Common {

        @Parameters(paramLabel = "ID", description = "such as t_1k2j3h4g5f; `roost token list` shows them")
        @SuppressWarnings("NullAway.Init")
        private String id;

        @Override
        int call(Client client) {
            var answer = client.tell("token_revoke", persons(invocation, params().put("token_id", id)));
            if (json) printJson(answer);
            else System.out.println("%s lets nobody in any more.".formatted(Style.safe(id)));
            return 0;
        }
    }
}
