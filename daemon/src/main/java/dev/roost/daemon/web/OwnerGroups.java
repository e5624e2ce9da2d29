package dev.roost.daemon.web;

import dev.roost.base.TextFormat;
import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Owner;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;

/** Runs grouped by owner. Owners with a question come first, then those with running runs, then the newest. */
record OwnerGroups(FleetSnapshot fleet, RunRow item) {

    /** The id of an owner's group in the page. */
    static String id(Owner owner) {
        return "o" + UUID.nameUUIDFromBytes(owner.id().getBytes(StandardCharsets.UTF_8));
    }

    Html html(List<RunRecord> runs) {
        var byOwner = new LinkedHashMap<Owner, List<RunRecord>>();
        for (var run : runs)
            byOwner.computeIfAbsent(run.owner(), _ -> new ArrayList<>()).add(run);
        return Html.all(byOwner.entrySet().stream()
                .sorted(Map.Entry.comparingByValue(Comparator.comparingInt((List<RunRecord> own) ->
                                own.stream().mapToInt(RunRow::rank).min().orElse(9))
                        .thenComparing(own -> newest(own), Comparator.reverseOrder())))
                .map(group -> one(group.getKey(), group.getValue()))
                .toList());
    }

    private static String newest(List<RunRecord> runs) {
        return runs.stream()
                .map(run -> run.id().text())
                .max(Comparator.naturalOrder())
                .orElse("");
    }

    /** The whole group of an owner. */
    Html one(Owner owner, List<RunRecord> runs) {
        var items = runs.stream()
                .sorted(Comparator.comparingInt(RunRow::rank)
                        .thenComparing(run -> run.id().text(), Comparator.reverseOrder()))
                .map(item::html)
                .toList();
        return Html.of("""
                <section class="owner" id="{}" aria-labelledby="{}-name">{}<ul class="runs">{}</ul>\
                <button class="more" type="button" hidden>show all</button></section>
                """, id(owner), id(owner), head(owner), Html.all(items));
    }

    /** The heading of a group: the owner, and counts of its runs. */
    Html head(Owner owner) {
        var live =
                fleet.live().stream().filter(run -> run.owner().equals(owner)).toList();
        long running = live.stream().filter(run -> RunRow.rank(run) == 1).count();
        long queued = live.stream().filter(run -> RunRow.rank(run) == 2).count();
        long asking = live.stream().filter(FleetSnapshot::needsInput).count();
        var words = new ArrayList<Html>();
        long dead =
                fleet.dead().stream().filter(run -> run.owner().equals(owner)).count();
        if (asking > 0)
            words.add(Html.of("<span class=\"needs\">{} {} you</span>", asking, asking == 1 ? "needs" : "need"));
        if (dead > 0) words.add(Html.of("<span class=\"dead\">{} died</span>", dead));
        if (running > 0) words.add(Html.of("<span class=\"running\">{} running</span>", running));
        if (queued > 0) words.add(Html.of("<span>{} queued</span>", queued));
        if (words.isEmpty()) words.add(Html.of("<span>nothing at work</span>"));
        session(owner).ifPresent(state -> words.add(Html.of("<span>session {}</span>", state)));
        long cost = fleet.costToday(owner);
        if (cost > 0) words.add(Html.of("<span>{} today</span>", TextFormat.dollars(cost)));
        return Html.of(
                "<h2 id=\"{}-head\"><span class=\"who\" id=\"{}-name\">{}</span> <span class=\"how\">{}</span></h2>",
                id(owner),
                id(owner),
                owner.id(),
                Html.all(words));
    }

    private Optional<String> session(Owner owner) {
        return Optional.ofNullable(fleet.sessions().get(owner))
                .map(parent -> parent.state().name().toLowerCase(Locale.ROOT))
                .filter(state -> !state.equals("unknown"));
    }
}
