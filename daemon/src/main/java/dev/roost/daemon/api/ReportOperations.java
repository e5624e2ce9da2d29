package dev.roost.daemon.api;

import dev.roost.ledger.SpendStore;
import dev.roost.model.Caller;
import dev.roost.model.Owner;
import dev.roost.model.OwnerSession;
import dev.roost.service.RoostService;
import java.time.Duration;
import java.util.Locale;
import java.util.Map;
import java.util.Optional;
import java.util.TreeMap;
import java.util.function.Function;
import java.util.stream.Collectors;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** Reports on owners, spending, pauses, and the runs of a time. */
public record ReportOperations(RoostService service, RunJson json) {

    private static final Duration A_DAY = Duration.ofHours(24);
    private static final Duration A_MONTH = Duration.ofDays(30);

    public ReportOperations(RoostService service) {
        this(service, new RunJson(service));
    }

    public Operation report() {
        return since(A_DAY, (since, owner, caller) -> {
            var report = service.activityReports().report(since, owner, caller);
            var answer = RunJson.MAPPER.createObjectNode();
            answer.put("since", report.since().toString());
            var pauses = answer.putArray("pauses");
            report.pauses().forEach(pause -> pauses.add(json.pause(pause)));
            var runs = answer.putArray("runs");
            for (var run : report.runs()) {
                var one = json.run(run);
                service.runWorktrees().plainGit(run).ifPresent(words -> words.forEach(one.putArray("git")::add));
                runs.add(one);
            }
            return answer;
        });
    }

    /** Lists pauses without refreshing the landing of runs, which is slow. */
    public Operation pauses() {
        return since(A_DAY, (since, owner, caller) -> {
            var answer = RunJson.MAPPER.createObjectNode();
            var list = answer.putArray("pauses");
            service.activityReports().pauses(since, owner, caller).forEach(pause -> list.add(json.pause(pause)));
            return answer;
        });
    }

    public Operation spend() {
        return since(A_MONTH, (since, owner, caller) -> {
            var answer = RunJson.MAPPER.createObjectNode();
            var list = answer.putArray("spend");
            for (var spent : service.activityReports().spent(since, owner, caller))
                list.addObject()
                        .put("day", spent.day().toString())
                        .put("owner", spent.owner().id())
                        .put("tokens", spent.tokens())
                        .put("cost_usd", spent.costMicros() / 1e6);
            return answer;
        });
    }

    /** Reports on a time until now, for one owner or for all that the caller may see. */
    private interface PeriodReport {
        ObjectNode of(Duration since, Optional<Owner> owner, Caller caller);
    }

    private Operation since(Duration usual, PeriodReport report) {
        return Operation.of(
                (requestFields, caller) -> new ApiReply(report.of(
                        requestFields.duration("since").orElse(usual),
                        requestFields.text("owner").map(service::owner),
                        caller)),
                FieldSpec.Kind.TEXT.named("owner"),
                FieldSpec.Kind.TEXT.named("since"));
    }

    public Operation owners() {
        return Operation.of(this::owners);
    }

    /** Lists all known sessions, and other owners of runs. */
    private ApiReply owners(RequestFields requestFields, Caller caller) {
        var sessions = service.sessions().all().stream()
                .filter(ownerSession -> caller.mayActFor(Optional.of(ownerSession.owner())))
                .collect(Collectors.toMap(OwnerSession::owner, Function.identity()));
        var counted = service.activityReports().owners(caller).stream()
                .collect(Collectors.toMap(SpendStore.OwnerCounts::owner, Function.identity()));
        var spent = service.activityReports().spent(Duration.ZERO, Optional.empty(), caller).stream()
                .collect(Collectors.toMap(SpendStore.DailySpend::owner, Function.identity(), (one, _) -> one));
        var all = new TreeMap<String, Owner>();
        sessions.keySet().forEach(owner -> all.put(owner.id(), owner));
        counted.keySet().forEach(owner -> all.put(owner.id(), owner));
        var answer = RunJson.MAPPER.createObjectNode();
        var list = answer.putArray("owners");
        for (var owner : all.values()) put(list, owner, sessions, counted, spent);
        return new ApiReply(answer);
    }

    private static void put(
            ArrayNode list,
            Owner owner,
            Map<Owner, OwnerSession> sessions,
            Map<Owner, SpendStore.OwnerCounts> counted,
            Map<Owner, SpendStore.DailySpend> spent) {
        var json = list.addObject().put("owner", owner.id());
        var session = Optional.ofNullable(sessions.get(owner));
        json.put(
                "state",
                session.map(OwnerSession::state)
                        .orElse(OwnerSession.SessionState.UNKNOWN)
                        .name()
                        .toLowerCase(Locale.ROOT));
        session.ifPresent(ownerSession -> describe(json, ownerSession));
        var tally = counted.getOrDefault(owner, new SpendStore.OwnerCounts(owner, 0, 0));
        json.put("live", tally.live()).put("unread", tally.unread());
        var today = json.putObject("today");
        var cost = Optional.ofNullable(spent.get(owner));
        today.put("tokens", cost.map(SpendStore.DailySpend::tokens).orElse(0L))
                .put("cost_usd", cost.map(SpendStore.DailySpend::costMicros).orElse(0L) / 1e6);
    }

    private static void describe(ObjectNode json, OwnerSession ownerSession) {
        json.put("harness", ownerSession.harness());
        ownerSession.home().ifPresent(home -> json.put("home", home));
        json.put("seen_at", ownerSession.seenAt().toString());
    }
}
