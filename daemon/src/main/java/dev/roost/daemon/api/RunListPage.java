package dev.roost.daemon.api;

import dev.roost.base.ErrorCode;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Caller;
import dev.roost.model.RunId;
import dev.roost.model.Status;
import dev.roost.service.RoostService;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.stream.Collectors;

/** A page of a list of runs, and the cursor of the next one if there are more. */
public record RunListPage(List<RunRecord> runs, Optional<String> nextCursor) {

    static final List<FieldSpec> FIELDS = List.of(
            FieldSpec.Kind.TEXT.named("filter"),
            FieldSpec.Kind.TEXT.named("owner"),
            FieldSpec.Kind.TEXT.named("agent"),
            FieldSpec.Kind.TEXT.named("status"),
            FieldSpec.Kind.TEXT.named("q"),
            FieldSpec.Kind.NUMBER.named("limit"),
            FieldSpec.Kind.TEXT.named("cursor"));

    static RunListPage read(RoostService service, RequestFields requestFields, Caller caller) {
        var statusFilter = switch (requestFields.text("filter").orElse("all_active")) {
            case "all_active" -> RunQuery.StatusFilter.ACTIVE;
            case "unread" -> RunQuery.StatusFilter.UNREAD;
            case "all" -> RunQuery.StatusFilter.ALL;
            default -> throw ErrorCode.BAD_FIELD.error("Unknown filter.", "Pass all_active, unread or all.");
        };
        int limit = Math.clamp(requestFields.number("limit").orElse(200L), 1, 1000);
        var query = new RunQuery(
                statusFilter,
                requestFields.text("owner").map(service::owner),
                limit + 1,
                requestFields.text("cursor").map(RunListPage::cursor),
                new RunQuery.QueryFilter(
                        requestFields.text("agent"),
                        requestFields.text("status").map(RunListPage::status),
                        requestFields.text("q")));
        var runs = service.list(query, caller);
        if (runs.size() <= limit) return new RunListPage(runs, Optional.empty());
        var page = runs.subList(0, limit);
        return new RunListPage(page, Optional.of(page.getLast().id().text()));
    }

    private static RunId cursor(String text) {
        return RunId.parse(text)
                .orElseThrow(() -> ErrorCode.BAD_FIELD.error(
                        "The cursor is not one that a list returned.", "Pass next_cursor unchanged."));
    }

    private static Status status(String word) {
        return Arrays.stream(Status.values())
                .filter(status -> status.word().equals(word))
                .findFirst()
                .orElseThrow(() -> ErrorCode.BAD_FIELD.error(
                        "Unknown status.",
                        Arrays.stream(Status.values())
                                .map(Status::word)
                                .collect(Collectors.joining(", ", "Pass one of ", "."))));
    }
}
