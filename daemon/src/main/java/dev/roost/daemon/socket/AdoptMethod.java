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

/** Gives the runs of one session to another. Only a person may do that, because the runs belong to the other session. */
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
                        "Only a person may give the runs of one session to another.",
                        "Ask the user to run `roost adopt` in a plain shell."));
    }

    /** Adopts all of the runs, or none. */
    ApiReply adopt(@Nullable JsonNode params) {
        var requestFields = personCheck.params(params, "run_ids", "to");
        var to = service.owner(requestFields.required("to"));
        var ids = requestFields.texts("run_ids");
        if (ids.isEmpty()) throw new BadInput("missing_field", "The list run_ids is empty.", "Name the runs to give.");
        var person = new Caller(service.owner(requestFields.required("caller")), true);
        var runs = ids.stream().map(id -> service.find(id, person)).distinct().toList();
        return new ApiReply(json.runs(service.sessions().adopt(runs, to), Optional.empty()));
    }
}
