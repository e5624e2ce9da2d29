package dev.roost.daemon.socket;

import dev.roost.daemon.calls.Reply;
import dev.roost.daemon.tokens.Mint;
import dev.roost.daemon.tokens.Scope;
import dev.roost.daemon.wire.Json;
import dev.roost.house.House;
import dev.roost.ledger.Token;
import dev.roost.run.Refused;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Tokens: a person's to give and to take back. A secret is said once, to whoever made it. */
final class TokenMethods {

    private final Persons persons;
    private final Mint mint;

    TokenMethods(House house, Mint mint) {
        this.persons = new Persons(
                house,
                new Refused(
                        "a_person_gives_tokens",
                        "Only a person may make, list and revoke tokens.",
                        "Ask the user to run `roost token` in a plain shell."));
        this.mint = mint;
    }

    Reply create(@Nullable JsonNode given) {
        var params = persons.params(
                given, "owner", "agents", "directory", "paths", "max_live", "launcher", "env", "expires");
        var fresh = mint.make(params);
        return new Reply(
                json(fresh.token(), fresh.scope()).put("secret", fresh.secret().text()));
    }

    Reply list(@Nullable JsonNode given) {
        persons.params(given);
        var json = Json.MAPPER.createObjectNode();
        var list = json.putArray("tokens");
        mint.all().forEach(known -> list.add(json(known.token(), known.scope())));
        return new Reply(json);
    }

    Reply revoke(@Nullable JsonNode given) {
        var id = persons.params(given, "token_id").required("token_id");
        mint.revoke(id);
        return new Reply(Json.MAPPER.createObjectNode().put("revoked", id));
    }

    Reply rotateKey(@Nullable JsonNode given) {
        persons.params(given);
        return new Reply(Json.MAPPER.createObjectNode().put("revoked", mint.rotateKey()));
    }

    private static ObjectNode json(Token token, Scope scope) {
        var json = Json.MAPPER.createObjectNode();
        json.put("token_id", token.id()).put("owner", token.owner().id());
        json.setAll(scope.shown());
        json.put("created_at", token.createdAt().toString());
        token.expiresAt().ifPresent(at -> json.put("expires_at", at.toString()));
        token.usedAt().ifPresent(at -> json.put("used_at", at.toString()));
        return json;
    }
}
