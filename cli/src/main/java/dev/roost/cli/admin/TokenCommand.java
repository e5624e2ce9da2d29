package dev.roost.cli.admin;

import dev.roost.cli.client.ClientCommand;
import dev.roost.cli.client.CommandGroup;
import dev.roost.cli.client.DaemonClient;
import dev.roost.cli.client.InteractiveUser;
import dev.roost.cli.client.Invocation;
import dev.roost.cli.client.Style;
import dev.roost.cli.view.TextTable;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.Collectors;
import picocli.CommandLine.Command;
import picocli.CommandLine.Parameters;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

@Command(
        name = "token",
        description = {
            "Tokens for programs that use Roost over HTTP, each for one owner and with a limited scope.",
            "Only a person may create, list and revoke them."
        },
        mixinStandardHelpOptions = true,
        subcommands = {TokenCreateCommand.class, TokenCommand.Tokens.class, TokenCommand.Revoke.class})
public final class TokenCommand extends CommandGroup {

    /** Adds the caller's origin to the request; refuses callers that are not a person. */
    static ObjectNode requirePerson(Invocation invocation, ObjectNode params) {
        InteractiveUser.require(invocation, "create, list and revoke tokens", "roost token");
        return InteractiveUser.origin(invocation, params);
    }

    @Command(name = "revoke", description = "Revoke a token. Its runs continue.")
    static final class Revoke extends ClientCommand {

        @Parameters(paramLabel = "ID", description = "such as t_1k2j3h4g5f; `roost token list` shows them")
        private String id;

        @Override
        public int call(DaemonClient client) {
            var answer = client.callOnce(
                    "token_revoke", TokenCommand.requirePerson(invocation, params().put("token_id", id)));
            return printLine(answer, "%s is revoked.".formatted(Style.safe(id)));
        }
    }

    @Command(name = "list", description = "List the tokens, without their secrets.")
    static final class Tokens extends ClientCommand {
        @Override
        public int call(DaemonClient client) {
            return print(client.call("tokens", TokenCommand.requirePerson(invocation, params())), Tokens::print);
        }

        private static void print(JsonNode answer) {
            var rows = new ArrayList<List<String>>();
            for (var token : answer.path("tokens")) {
                rows.add(List.of(
                        token.path("token_id").asString(),
                        Style.safe(token.path("owner").asString()),
                        Style.dim("created " + time(token, "created_at")),
                        Style.dim("used " + time(token, "used_at")),
                        Style.dim("expires " + time(token, "expires_at")),
                        Style.safe(scope(token))));
            }
            if (rows.isEmpty()) System.out.println("There are no tokens.");
            else TextTable.print(rows);
        }

        private static String time(JsonNode token, String field) {
            return token.path(field)
                    .asStringOpt()
                    .map(at -> at.replaceAll("\\..*|:\\d\\dZ$", "").replace('T', ' '))
                    .orElse("never");
        }

        private static String scope(JsonNode token) {
            if (token.path("page").asBoolean(false)) return "the page, in a browser (roost web)";
            var words = new ArrayList<String>();
            words.add(token.path("directory").asString());
            if (token.has("agents")) words.add("agents " + joined(token.path("agents"), ", "));
            if (token.has("max_live"))
                words.add("at most %d live".formatted(token.path("max_live").asInt()));
            token.path("paths")
                    .properties()
                    .forEach(pair -> words.add(
                            "%s=%s".formatted(pair.getKey(), pair.getValue().asString())));
            if (token.has("launcher")) words.add("behind " + joined(token.path("launcher"), " "));
            if (token.has("env")) words.add("with " + joined(token.path("env"), ", "));
            return String.join("; ", words);
        }

        private static String joined(JsonNode words, String between) {
            return words.valueStream().map(JsonNode::asString).collect(Collectors.joining(between));
        }
    }
}
