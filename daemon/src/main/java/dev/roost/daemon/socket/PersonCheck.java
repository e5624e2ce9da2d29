package dev.roost.daemon.socket;

import dev.roost.base.Refusal;
import dev.roost.daemon.api.RequestFields;
import dev.roost.engine.StartRequest;
import dev.roost.service.RoostService;
import java.util.Arrays;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;
import tools.jackson.databind.JsonNode;

/** Refuses a request unless a person sent it: from a plain shell, and not from a process inside a run or a harness. */
record PersonCheck(RoostService service, Refusal refusal) {

    RequestFields params(@Nullable JsonNode params, String... names) {
        var known = Stream.concat(Arrays.stream(names), Stream.of("caller", "operator", "harness", "inside", "pid"));
        var requestFields = RequestFields.of(params, known.toArray(String[]::new));
        var origin = new StartRequest.Origin(requestFields.text("inside"), requestFields.number("pid"));
        if (requestFields.flag("operator")
                && !requestFields.flag("harness")
                && service.findCallingRun(origin).isEmpty()) return requestFields;
        throw new Refusal(refusal.code(), refusal.sentence(), refusal.hint());
    }
}
