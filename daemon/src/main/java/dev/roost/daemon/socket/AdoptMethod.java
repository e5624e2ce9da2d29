package dev.roost.daemon.socket;

import dev.roost.daemon.calls.Reply;
import dev.roost.daemon.wire.Json;
import dev.roost.house.Caller;
import dev.roost.house.House;
import dev.roost.run.BadInput;
import dev.roost.run.Refused;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Runs of a session that is gone, for another one to have: a person's to give, since they are somebody else's. */
final class AdoptMethod {

    private final House house;
    private final Json json;
    private final Persons persons;

    AdoptMethod(House house, Json json) {
        this.house = house;
        this.json = json;
        this.persons = new Persons(
                house,
                new Refused(
                        "a_person_gives_runs",
                        "Only a person may give a session the runs of another one.",
                        "Ask the user to run `roost adopt` in a plain shell."));
    }

    /** All of them, or none. */
    Reply adopt(@Nullable JsonNode given) {
        var params = persons.params(given, "run_ids", "to");
        var to = house.owner(params.required("to"));
        var ids = params.texts("run_ids");
        if (ids.isEmpty()) throw new BadInput("missing_field", "The list run_ids is empty.", "Name the runs to give.");
        var person = new Caller(house.owner(params.required("caller")), true);
        var runs = ids.stream().map(id -> house.find(id, person)).distinct().toList();
        return new Reply(json.runs(house.sessions().adopt(runs, to), Optional.empty()));
    }
}
