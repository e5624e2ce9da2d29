package dev.roost.daemon.socket;

import dev.roost.daemon.calls.Reply;
import dev.roost.daemon.wire.Json;
import dev.roost.daemon.wire.Params;
import dev.roost.house.House;
import java.time.Duration;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Keeping the work through a pause, and getting it back. */
final class WorkMethods {

    private static final Duration A_WHILE = Duration.ofSeconds(30);

    private final House house;
    private final Json json;

    WorkMethods(House house, Json json) {
        this.house = house;
        this.json = json;
    }

    /** What changed, for those who show it as it goes. */
    Reply changes(@Nullable JsonNode given) {
        var params = Params.of(given, "caller", "operator", "after", "timeout_ms");
        var changes = house.watching()
                .changes(params.text("after"), params.timeout("timeout_ms", A_WHILE), Methods.caller(house, params));
        var answer = Json.MAPPER.createObjectNode().put("position", changes.position());
        if (changes.again()) return new Reply(answer.put("again", true));
        var runs = answer.putArray("runs");
        changes.runs().forEach(run -> runs.add(json.run(run)));
        if (!changes.removed().isEmpty()) changes.removed().forEach(answer.putArray("removed")::add);
        return new Reply(answer);
    }

    Reply restore(@Nullable JsonNode given) {
        var params = Params.of(given, "caller", "operator", "run_id", "to", "checkpoint");
        var run = house.find(params.required("run_id"), Methods.caller(house, params));
        var to = params.text("to").isPresent() ? Optional.of(params.path("to")) : Optional.<java.nio.file.Path>empty();
        var place =
                house.code().restore(run, to, params.atLeastOne("checkpoint").map(Math::toIntExact));
        var again = house.find(run.id().text(), Methods.caller(house, params));
        return new Reply(json.run(again).put("restored_to", place.toString()));
    }

    Reply pause(@Nullable JsonNode given) {
        UpkeepMethods.operators(given, "caller", "operator");
        return new Reply(json.pause(house.pause()));
    }

    Reply resume(@Nullable JsonNode given) {
        UpkeepMethods.operators(given, "caller", "operator");
        var answer = Json.MAPPER.createObjectNode();
        house.resume().ifPresent(pause -> answer.set("pause", json.pause(pause)));
        return new Reply(answer);
    }
}
