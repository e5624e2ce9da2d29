package dev.roost.daemon.socket;

import dev.roost.daemon.wire.Params;
import dev.roost.house.House;
import dev.roost.house.StartRequest;
import dev.roost.run.Refused;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** What is for people to say: from a plain shell, and not from a process that comes out of a run. */
record Persons(House house, Refused otherwise) {

    Params params(@Nullable JsonNode given, String... more) {
        var known = Stream.concat(Arrays.stream(more), Stream.of("caller", "operator", "harness", "inside", "pid"));
        var params = Params.of(given, known.toArray(String[]::new));
        var origin = new StartRequest.Origin(params.text("inside"), params.number("pid"));
        if (params.flag("operator")
                && !params.flag("harness")
                && house.inside(origin).isEmpty()) return params;
        throw new Refused(otherwise.code(), otherwise.sentence(), otherwise.hint());
    }
}
