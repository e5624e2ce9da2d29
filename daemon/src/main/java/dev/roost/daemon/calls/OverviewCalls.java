package dev.roost.daemon.calls;

import dev.roost.daemon.wire.Json;
import dev.roost.daemon.wire.Params;
import dev.roost.house.Caller;
import dev.roost.house.House;
import dev.roost.ledger.Tallies;
import dev.roost.run.Owner;
import dev.roost.run.Parent;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** How things are and were: who asks for work, what it cost, when nobody looked after it. */
public record OverviewCalls(House house, Json json) {

    private static final Duration A_DAY = Duration.ofHours(24);
    private static final Duration A_MONTH = Duration.ofDays(30);

    public OverviewCalls(House house) {
        this(house, new Json(house));
    }

    public Call report() {
        return Call.of(this::report, Field.text("owner"), Field.text("since"));
    }

    private Reply report(Params params, Caller caller) {
        var report = house.reporting()
                .report(
                        params.duration("since").orElse(A_DAY),
                        params.text("owner").map(house::owner),
                        caller);
        var answer = Json.MAPPER.createObjectNode();
        answer.put("since", report.since().toString());
        var pauses = answer.putArray("pauses");
        report.pauses().forEach(pause -> pauses.add(json.pause(pause)));
        var runs = answer.putArray("runs");
        for (var run : report.runs()) {
            var one = json.run(run);
            house.code().plainGit(run).ifPresent(words -> words.forEach(one.putArray("git")::add));
            runs.add(one);
        }
        return new Reply(answer);
    }

    /** Without a look at where the code is, which takes its time. */
    public Call pauses() {
        return Call.of(this::pauses, Field.text("owner"), Field.text("since"));
    }

    private Reply pauses(Params params, Caller caller) {
        var back = params.duration("since").orElse(A_DAY);
        var answer = Json.MAPPER.createObjectNode();
        var list = answer.putArray("pauses");
        house.reporting()
                .pauses(back, params.text("owner").map(house::owner), caller)
                .forEach(pause -> list.add(json.pause(pause)));
        return new Reply(answer);
    }

    public Call spend() {
        return Call.of(this::spend, Field.text("owner"), Field.text("since"));
    }

    private Reply spend(Params params, Caller caller) {
        var back = params.duration("since").orElse(A_MONTH);
        var answer = Json.MAPPER.createObjectNode();
        var list = answer.putArray("spend");
        for (var spent : house.reporting().spent(back, params.text("owner").map(house::owner), caller))
            list.addObject()
                    .put("day", spent.day().toString())
                    .put("owner", spent.owner().id())
                    .put("tokens", spent.tokens())
                    .put("cost_usd", spent.costMicros() / 1e6);
        return new Reply(answer);
    }

    public Call owners() {
        return Call.of(this::owners);
    }

    /** Sessions that were heard of, and whoever else has runs. */
    private Reply owners(Params params, Caller caller) {
        var sessions = house.sessions().all().stream()
                .filter(parent -> caller.mayActFor(Optional.of(parent.owner())))
                .collect(Collectors.toMap(Parent::owner, Function.identity()));
        var counted = house.reporting().owners(caller).stream()
                .collect(Collectors.toMap(Tallies.OfOwner::owner, Function.identity()));
        var spent = house.reporting().spent(Duration.ZERO, Optional.empty(), caller).stream()
                .collect(Collectors.toMap(Tallies.Spent::owner, Function.identity(), (one, _) -> one));
        var all = new TreeMap<String, Owner>();
        sessions.keySet().forEach(owner -> all.put(owner.id(), owner));
        counted.keySet().forEach(owner -> all.put(owner.id(), owner));
        var answer = Json.MAPPER.createObjectNode();
        var list = answer.putArray("owners");
        for (var owner : all.values()) put(list, owner, sessions, counted, spent);
        return new Reply(answer);
    }

    private static void put(
            ArrayNode list,
            Owner owner,
            Map<Owner, Parent> sessions,
            Map<Owner, Tallies.OfOwner> counted,
            Map<Owner, Tallies.Spent> spent) {
        var json = list.addObject().put("owner", owner.id());
        var session = Optional.ofNullable(sessions.get(owner));
        json.put(
                "state",
                session.map(Parent::state).orElse(Parent.State.UNKNOWN).name().toLowerCase(Locale.ROOT));
        session.ifPresent(parent -> describe(json, parent));
        var tally = counted.getOrDefault(owner, new Tallies.OfOwner(owner, 0, 0));
        json.put("live", tally.live()).put("unread", tally.unread());
        var today = json.putObject("today");
        var cost = Optional.ofNullable(spent.get(owner));
        today.put("tokens", cost.map(Tallies.Spent::tokens).orElse(0L))
                .put("cost_usd", cost.map(Tallies.Spent::costMicros).orElse(0L) / 1e6);
    }

    private static void describe(ObjectNode json, Parent parent) {
        json.put("harness", parent.harness());
        parent.home().ifPresent(home -> json.put("home", home));
        json.put("seen_at", parent.seenAt().toString());
    }
}
