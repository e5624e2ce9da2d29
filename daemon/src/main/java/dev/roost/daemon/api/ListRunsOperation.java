package dev.roost.daemon.api;

import dev.roost.base.BadInput;
import dev.roost.ledger.record.RunQuery;
import dev.roost.model.Caller;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.service.RoostService;
import java.util.Arrays;
import java.util.Optional;
import java.util.stream.Collectors;

/** Lists runs, a page at a time. */
record ListRunsOperation(RoostService service, RunJson json) {

    Operation call() {
        return Operation.of(
                this::list,
                FieldSpec.text("filter"),
                FieldSpec.text("owner"),
                FieldSpec.text("agent"),
                FieldSpec.text("status"),
                FieldSpec.text("q"),
                FieldSpec.number("limit"),
                FieldSpec.text("cursor"));
    }

    private ApiReply list(RequestFields requestFields, Caller caller) {
        var statusFilter = switch (requestFields.text("filter").orElse("all_active")) {
            case "all_active" -> RunQuery.StatusFilter.ACTIVE;
            case "unread" -> RunQuery.StatusFilter.UNREAD;
            case "all" -> RunQuery.StatusFilter.ALL;
            default -> throw new BadInput("bad_field", "Unknown filter.", "Pass all_active, unread or all.");
        };
        int limit = Math.clamp(requestFields.number("limit").orElse(200L), 1, 1000);
        var queryFilter = new RunQuery.QueryFilter(
                requestFields.text("agent"),
                requestFields.text("status").map(ListRunsOperation::status),
                requestFields.text("q"));
        var query = new RunQuery(
                statusFilter,
                requestFields.text("owner").map(service::owner),
                limit + 1,
                requestFields.text("cursor").map(ListRunsOperation::cursor),
                queryFilter);
        var runs = service.list(query, caller);
        boolean more = runs.size() > limit;
        var page = more ? runs.subList(0, limit) : runs;
        return new ApiReply(
                json.runs(page, more ? Optional.of(page.getLast().id().text()) : Optional.empty()));
    }

    private static RunId cursor(String text) {
        return RunId.parse(text)
                .orElseThrow(() -> new BadInput(
                        "bad_field", "The cursor is not one that list returned.", "Pass next_cursor unchanged."));
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
