package dev.roost.daemon.socket;

import dev.roost.Roost;
import dev.roost.daemon.calls.Reply;
import dev.roost.daemon.wire.Json;
import dev.roost.daemon.wire.Params;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Keeping the work through a pause, and getting it back. */
final class WorkMethods {

    private final Roost roost;
    private final Json json;

    WorkMethods(Roost roost, Json json) {
        this.roost = roost;
        this.json = json;
    }

    Reply restore(@Nullable JsonNode given) {
        var params = Params.of(given, "caller", "operator", "run_id", "to", "checkpoint");
        var run = roost.find(params.required("run_id"), Methods.caller(params));
        var to = params.text("to").isPresent() ? Optional.of(params.path("to")) : Optional.<java.nio.file.Path>empty();
        var place = roost.restore(run, to, params.atLeastOne("checkpoint").map(Math::toIntExact));
        var again = roost.find(run.id().text(), Methods.caller(params));
        return new Reply(json.run(again).put("restored_to", place.toString()));
    }

    Reply pause(@Nullable JsonNode given) {
        UpkeepMethods.operators(given, "caller", "operator");
        return new Reply(json.pause(roost.pause()));
    }

    Reply resume(@Nullable JsonNode given) {
        UpkeepMethods.operators(given, "caller", "operator");
        var answer = Json.MAPPER.createObjectNode();
        roost.resume().ifPresent(pause -> answer.set("pause", json.pause(pause)));
        return new Reply(answer);
    }
}
