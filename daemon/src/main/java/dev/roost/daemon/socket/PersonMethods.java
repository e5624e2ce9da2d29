package dev.roost.daemon.socket;

import dev.roost.base.ErrorCode;
import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.RequestFields;
import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.config.ProjectFiles;
import dev.roost.daemon.tokens.TokenScope;
import dev.roost.engine.StartRequest;
import dev.roost.ledger.record.TokenRecord;
import dev.roost.model.Caller;
import dev.roost.service.RoostService;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/**
 * Methods for a person only: tokens, trust in projects, the page, and runs of other sessions. A person sends from a plain shell,
 * and not from a process inside a run or a harness.
 */
record PersonMethods(RoostService service, DaemonInfo daemon) {

    /** The fields of a request that a person has sent; any other is refused. */
    static RequestFields fields(
            RoostService service, @Nullable JsonNode params, String deed, String command, String... names) {
        var known = Stream.concat(Arrays.stream(names), Stream.of("caller", "operator", "harness", "inside", "pid"));
        var requestFields = RequestFields.of(params, known.toArray(String[]::new));
        if (isPerson(service, requestFields)) return requestFields;
        throw ErrorCode.PERSON_REQUIRED.error(
                "Only a person may %s.".formatted(deed),
                "Ask the user to run `roost %s` in a plain shell.".formatted(command));
    }

    static boolean isPerson(RoostService service, RequestFields requestFields) {
        return requestFields.flag("operator")
                && !requestFields.flag("harness")
                && service.findCallingRun(origin(requestFields)).isEmpty();
    }

    static StartRequest.Origin origin(RequestFields requestFields) {
        return new StartRequest.Origin(requestFields.text("inside"), requestFields.number("pid"));
    }

    private RequestFields tokenFields(@Nullable JsonNode params, String... names) {
        return fields(service, params, "make, list and revoke tokens", "token", names);
    }

    /** Creates a token. Its secret is returned only this once. */
    ApiReply createToken(@Nullable JsonNode params) {
        var fresh = daemon.tokens()
                .make(tokenFields(
                        params, "owner", "agents", "directory", "paths", "max_live", "launcher", "env", "expires"));
        return new ApiReply(
                json(fresh.token(), fresh.scope()).put("secret", fresh.secret().text()));
    }

    ApiReply listTokens(@Nullable JsonNode params) {
        tokenFields(params);
        var json = RunJson.MAPPER.createObjectNode();
        var list = json.putArray("tokens");
        daemon.tokens().all().forEach(known -> list.add(json(known.token(), known.scope())));
        return new ApiReply(json);
    }

    ApiReply revokeToken(@Nullable JsonNode params) {
        var id = tokenFields(params, "token_id").required("token_id");
        daemon.tokens().revoke(id);
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

    /** Shows a project's file to any caller. */
    ApiReply project(@Nullable JsonNode params) {
        var requestFields = RequestFields.of(params, "caller", "operator", "directory");
        return new ApiReply(json(daemon.projects().review(requestFields.path("directory"))));
    }

    private static ObjectNode json(ProjectFiles.ProjectFileReview review) {
        var json = RunJson.MAPPER.createObjectNode();
        json.put("file", review.file().toString())
                .put("sha256", review.sha256())
                .put("trusted", review.trusted())
                .put("text", review.text());
        review.loosens().forEach(json.putArray("loosens")::add);
        return json;
    }

    ApiReply trust(@Nullable JsonNode params) {
        var requestFields = fields(service, params, "trust a project", "trust", "directory", "sha256");
        return new ApiReply(
                json(daemon.projects().trust(requestFields.path("directory"), requestFields.required("sha256"))));
    }

    ApiReply revoke(@Nullable JsonNode params) {
        var requestFields = fields(service, params, "trust a project", "trust", "directory");
        return new ApiReply(RunJson.MAPPER
                .createObjectNode()
                .put("revoked", daemon.projects().revoke(requestFields.path("directory"))));
    }

    /** Lists the trusted files for any caller. */
    ApiReply trusted(@Nullable JsonNode params) {
        RequestFields.of(params, "caller", "operator");
        var json = RunJson.MAPPER.createObjectNode();
        var list = json.putArray("trusted");
        for (var one : daemon.projects().trusted()) {
            list.addObject()
                    .put("file", one.file().toString())
                    .put("sha256", one.sha256())
                    .put("trusted_at", one.at().toString());
        }
        return new ApiReply(json);
    }

    /** Gives the runs of one session to another: all of them, or none. */
    ApiReply adopt(@Nullable JsonNode params) {
        var requestFields =
                fields(service, params, "give the runs of one session to another", "adopt", "run_ids", "to");
        var to = service.owner(requestFields.required("to"));
        var ids = requestFields.texts("run_ids");
        if (ids.isEmpty()) throw ErrorCode.MISSING_FIELD.error("The list run_ids is empty.", "Name the runs to give.");
        var person = new Caller(service.owner(requestFields.required("caller")), true);
        var runs = ids.stream().map(id -> service.find(id, person)).distinct().toList();
        return new ApiReply(new RunJson(service).runs(service.sessions().adopt(runs, to)));
    }

    /** Returns a link that signs a person's browser in. */
    ApiReply web(@Nullable JsonNode params) {
        fields(service, params, "open the page", "web");
        var address = daemon.http().orElseThrow(() -> ErrorCode.HTTP_OFF.error("HTTP is off, so there is no page."));
        return new ApiReply(RunJson.MAPPER
                .createObjectNode()
                .put("address", address)
                .put(
                        "link",
                        "%s/sign-in?code=%s".formatted(address, daemon.signIn().code())));
    }
}
