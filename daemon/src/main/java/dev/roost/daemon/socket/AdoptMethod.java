package dev.roost.daemon.socket;

import dev.roost.base.BadInput;
import dev.roost.base.Refusal;
import dev.roost.daemon.api.ApiReply;
import dev.roost.daemon.api.RunJson;
import dev.roost.model.Caller;
import dev.roost.service.RoostService;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Runs of a session that is gone, for another one to have: a person's to give, since they are somebody else's. */
final class AdoptMethod {

    private final RoostService service;
    private final RunJson json;
    private final PersonCheck personCheck;

    AdoptMethod(RoostService service, RunJson json) {
        this.service = service;
        this.json = json;
        this.personCheck = new PersonCheck(
                service,
                new Refusal(
                        "person_required",
                        "Only a person may give a session the runs of another one.",
                        "Ask the user to run `roost adopt` in a plain shell."));
    }

    /** All of them, or none. */
    ApiReply adopt(@Nullable JsonNode given) {
        var requestFields = personCheck.params(given, "run_ids", "to");
        var to = service.owner(requestFields.required("to"));
        var ids = requestFields.texts("run_ids");
        if (ids.isEmpty()) throw new BadInput("missing_field", "The list run_ids is empty.", "Name the runs to give.");
        var person = new Caller(service.owner(requestFields.required("caller")), true);
        var runs = ids.stream().map(id -> service.find(id, person)).distinct().toList();
        return new ApiReply(json.runs(service.sessions().adopt(runs, to), Optional.empty()));
    }
}
