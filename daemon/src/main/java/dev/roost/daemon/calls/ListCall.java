package dev.roost.daemon.calls;

import dev.roost.daemon.wire.Json;
import dev.roost.daemon.wire.Params;
import dev.roost.house.Caller;
import dev.roost.house.House;
import dev.roost.ledger.Query;
import dev.roost.run.BadInput;
import dev.roost.run.RunId;
import dev.roost.run.Status;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** Which runs there are, a page at a time. */
record ListCall(House house, Json json) {

    Call call() {
        return Call.of(
                this::list,
                Field.text("filter"),
                Field.text("owner"),
                Field.text("agent"),
                Field.text("status"),
                Field.text("q"),
                Field.number("limit"),
                Field.text("cursor"));
    }

    private Reply list(Params params, Caller caller) {
        var which = switch (params.text("filter").orElse("all_active")) {
            case "all_active" -> Query.Which.ACTIVE;
            case "unread" -> Query.Which.UNREAD;
            case "all" -> Query.Which.ALL;
            default -> throw new BadInput("bad_field", "Unknown filter.", "Pass all_active, unread or all.");
        };
        int limit = Math.clamp(params.number("limit").orElse(200L), 1, 1000);
        var narrowed =
                new Query.Narrowed(params.text("agent"), params.text("status").map(ListCall::status), params.text("q"));
        var query = new Query(
                which,
                params.text("owner").map(house::owner),
                limit + 1,
                params.text("cursor").map(ListCall::cursor),
                narrowed);
        var runs = house.list(query, caller);
        boolean more = runs.size() > limit;
        var page = more ? runs.subList(0, limit) : runs;
        return new Reply(json.runs(page, more ? Optional.of(page.getLast().id().text()) : Optional.empty()));
    }

    private static RunId cursor(String text) {
        return RunId.parse(text)
                .orElseThrow(() -> new BadInput(
                        "bad_field", "The cursor is not one that list returned.", "Pass next_cursor as it was."));
    }

    private static Status status(String word) {
        return Arrays.stream(Status.values())
                .filter(status -> status.word().equals(word))
                .findFirst()
                .orElseThrow(() -> new BadInput(
                        "bad_field",
                        "Unknown status.",
                        Arrays.stream(Status.values())
                                .map(Status::word)
                                .collect(Collectors.joining(", ", "Pass one of ", "."))));
    }
}
