package dev.roost.daemon.socket;

import dev.roost.base.Refusal;
import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.tokens.TokenScope;
import dev.roost.daemon.tokens.TokenService;
import dev.roost.ledger.record.TokenRecord;
import dev.roost.service.RoostService;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Creates, lists and revokes tokens, for a person only. A secret is returned once, when its token is made. */
final class TokenMethods {

    private final PersonCheck personCheck;
    private final TokenService tokens;

    TokenMethods(RoostService service, TokenService tokens) {
        this.personCheck = new PersonCheck(
                service,
                new Refusal(
                        "person_required",
                        "Only a person may make, list and revoke tokens.",
                        "Ask the user to run `roost token` in a plain shell."));
        this.tokens = tokens;
    }

    ApiReply create(@Nullable JsonNode params) {
        var requestFields = personCheck.params(
                params, "owner", "agents", "directory", "paths", "max_live", "launcher", "env", "expires");
        var fresh = tokens.make(requestFields);
        return new ApiReply(
                json(fresh.token(), fresh.scope()).put("secret", fresh.secret().text()));
    }

    ApiReply list(@Nullable JsonNode params) {
        personCheck.params(params);
        var json = RunJson.MAPPER.createObjectNode();
        var list = json.putArray("tokens");
        tokens.all().forEach(known -> list.add(json(known.token(), known.scope())));
        return new ApiReply(json);
    }

    ApiReply revoke(@Nullable JsonNode params) {
        var id = personCheck.params(params, "token_id").required("token_id");
        tokens.revoke(id);
        return new ApiReply(RunJson.MAPPER.createObjectNode().put("revoked", id));
    }

    private static ObjectNode json(TokenRecord token, TokenScope scope) {
        var json = RunJson.MAPPER.createObjectNode();
        json.put("token_id", token.id()).put("owner", token.owner().id());
        json.setAll(scope.shown());
        json.put("created_at", token.createdAt().toString());
        token.expiresAt().ifPresent(at -> json.put("expires_at", at.toString()));
        token.usedAt().ifPresent(at -> json.put("used_at", at.toString()));
        return json;
    }
}
