package dev.roost.daemon.http;

import dev.roost.daemon.calls.Field;
import dev.roost.daemon.calls.Reply;
import dev.roost.daemon.mcp.Starting;
import dev.roost.daemon.wire.Json;
import dev.roost.house.House;
import dev.roost.ledger.Run;
import dev.roost.run.Refused;
import java.io.IOException;
import java.util.List;

/** Starts a run: for a token within what it may, for the operator anything anywhere. */
record ApiStart(House house, Starting starting) implements ApiRoute.Doing {

    static final List<Field> FIELDS = List.of(
            Field.text("prompt"),
            Field.text("description"),
            Field.text("agent"),
            Field.text("name"),
            Field.text("owner"),
            Field.text("cwd"),
            Field.text("isolation"),
            Field.textsByName("env"),
            Field.text("max_time"),
            Field.number("max_tokens"),
            Field.amount("max_cost_usd"),
            Field.number("max_turns"),
            Field.text("on_loss"),
            Field.texts("on"),
            Field.text("notify"));

    @Override
    public void serve(ApiCall call) throws IOException {
        var run = house.settled(start(call)); // who is told that it is queued would think that it has to wait
        call.visit().put("Location", Api.PREFIX + "/runs/" + run.id());
        call.answer(201, new Reply(new Json(house).run(run)));
    }

    private Run start(ApiCall call) {
        var params = call.params();
        var named = params.text("owner").map(house::owner);
        if (!call.caller().mayActFor(named)) throw Api.notYourOwner();
        var owner = call.caller().operator()
                ? named.orElseGet(() -> call.bearer().owner(call.visit()))
                : call.caller().owner();
        var client = new TokenClient(house, call.bearer(), owner, call.visit(), false);
        var key = client.callKey("");
        var variables = params.map("env");
        if (call.holder().isEmpty()) return starting.free(params, client, owner, variables, key);
        if (variables.isEmpty()) return starting.bound(params, client, owner, key);
        throw new Refused(
                "operator_only",
                "A token's runs have the variables that it was made with.",
                "Omit env, or ask the user for a token with them: `roost token create --env NAME=VALUE`.");
    }
}
