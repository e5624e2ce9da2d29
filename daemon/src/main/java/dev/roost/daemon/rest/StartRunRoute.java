package dev.roost.daemon.rest;

import dev.roost.base.Refusal;
import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.FieldSpec;
import dev.roost.daemon.api.RunJson;
import dev.roost.daemon.mcp.ToolRunStarter;
import dev.roost.ledger.record.RunRecord;
import dev.roost.service.RoostService;
import java.io.IOException;
import java.util.List;

/** Starts a run: for a token within its scope, for the operator without restriction. */
record StartRunRoute(RoostService service, ToolRunStarter starter) implements RestRoute.RouteHandler {

    static final List<FieldSpec> FIELDS = List.of(
            FieldSpec.text("prompt"),
            FieldSpec.text("description"),
            FieldSpec.text("agent"),
            FieldSpec.text("name"),
            FieldSpec.text("owner"),
            FieldSpec.text("cwd"),
            FieldSpec.text("isolation"),
            FieldSpec.textsByName("env"),
            FieldSpec.text("max_time"),
            FieldSpec.number("max_tokens"),
            FieldSpec.amount("max_cost_usd"),
            FieldSpec.number("max_turns"),
            FieldSpec.text("on_loss"),
            FieldSpec.texts("on"),
            FieldSpec.text("notify"));

    @Override
    public void serve(RestRequest call) throws IOException {
        var run = service.awaitPlacement(start(call)); // a client that reads "queued" would expect a wait
        call.request().put("Location", RestApi.PREFIX + "/runs/" + run.id());
        call.answer(201, new ApiReply(new RunJson(service).run(run)));
    }

    private RunRecord start(RestRequest call) {
        var requestFields = call.params();
        var named = requestFields.text("owner").map(service::owner);
        if (!call.caller().mayActFor(named)) throw RestApi.notYourOwner();
        var owner = call.caller().operator()
                ? named.orElseGet(() -> call.principal().owner(call.request()))
                : call.caller().owner();
        var client = new TokenClient(service, call.principal(), owner, call.request(), false);
        var key = client.callKey("");
        var variables = requestFields.map("env");
        if (call.holder().isEmpty()) return starter.startAnywhere(requestFields, client, owner, variables, key);
        if (variables.isEmpty()) return starter.startInDirectory(requestFields, client, owner, key);
        throw new Refusal(
                "operator_only",
                "The variables of a token's runs are fixed when the token is made.",
                "Omit env, or ask the user for a token with them: `roost token create --env NAME=VALUE`.");
    }
}
