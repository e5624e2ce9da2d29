package dev.roost.daemon.hooks;

import dev.roost.base.ErrorCode;
import dev.roost.daemon.api.RunJson;
import dev.roost.ledger.record.NoticeOffer;
import dev.roost.ledger.record.RunQuery;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.SessionReport;
import dev.roost.model.Caller;
import dev.roost.model.Owner;
import dev.roost.model.OwnerSession;
import dev.roost.model.SessionEvent;
import dev.roost.service.RoostService;
import dev.roost.sessions.NoticeDigest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Optional;
import java.util.function.Predicate;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Records the events that hooks report, and answers with the text to show to the session. */
public final class HookService {

    private final RoostService service;
    private final InstantSource clock;
    private final Predicate<OwnerSession.HarnessProcess> startedByUs;

    /** {@code startedByUs}: whether Roost itself started this harness, to continue a session. */
    public HookService(RoostService service, InstantSource clock, Predicate<OwnerSession.HarnessProcess> startedByUs) {
        this.service = service;
        this.clock = clock;
        this.startedByUs = startedByUs;
    }

    /** The JSON to print, nothing if it is empty, and the actions after it reached the harness or did not. */
    public record HookReply(ObjectNode json, Runnable onDelivered, Runnable onUndelivered) {
        static HookReply silence() {
            return of(RunJson.MAPPER.createObjectNode());
        }

        static HookReply of(ObjectNode json) {
            return new HookReply(json, () -> {}, () -> {});
        }
    }

    /** {@code process}: the harness, if it is on this machine; {@code boundOwner}: the only owner it may report for. */
    public HookReply handle(
            String harness,
            String event,
            String input,
            Optional<OwnerSession.HarnessProcess> process,
            Optional<Owner> boundOwner) {
        var harnessHooks = HarnessHooks.of(harness);
        var report = parse(input);
        var sessionEvent = harnessHooks
                .read(event, report)
                .map(one -> isOwnPrompt(one, process) ? new SessionEvent.SessionSeen() : one);
        var owner = boundOwner.or(() -> harnessHooks.owner(report));
        if (sessionEvent.isEmpty() || owner.isEmpty()) return HookReply.silence();
        if (harnessHooks.followsClearedSession(event, report)) transferRuns(process, owner.get());
        var sessionUpdate = service.sessions()
                .record(new SessionReport(
                        owner.get(),
                        harness,
                        home(owner.get(), sessionEvent.get(), report),
                        process,
                        sessionEvent.get()));
        if (sessionUpdate.offer().isPresent())
            return digestReply(harnessHooks, event, sessionUpdate.offer().get());
        boolean begins = sessionEvent.get() instanceof SessionEvent.SessionStarted || event.equals("SessionStart");
        var live = begins ? live(owner.get()) : List.<RunRecord>of();
        if (live.isEmpty()) return HookReply.silence();
        var text = NoticeDigest.of(live, "s_" + sessionUpdate.session().turn(), clock.instant());
        return HookReply.of(harnessHooks.encodeText(event, NoticeOffer.Occasion.START, text));
    }

    /** Whether the harness was started by Roost: then its first prompt is the digest, and needs no further offer. */
    private boolean isOwnPrompt(SessionEvent event, Optional<OwnerSession.HarnessProcess> process) {
        return event instanceof SessionEvent.SessionStarted
                && process.filter(startedByUs).isPresent();
    }

    /** The directory in which the session began. Later changes of directory do not change its project. */
    private Optional<String> home(Owner owner, SessionEvent event, JsonNode report) {
        boolean known =
                service.sessions().find(owner).flatMap(OwnerSession::home).isPresent();
        return known && !(event instanceof SessionEvent.SessionStarted)
                ? Optional.empty()
                : report.path("cwd").asStringOpt();
    }

    private static JsonNode parse(String input) {
        try {
            return input.isBlank() ? RunJson.MAPPER.createObjectNode() : RunJson.MAPPER.readTree(input);
        } catch (JacksonException e) {
            throw ErrorCode.BAD_JSON.error("The hook's input is not JSON.", "Pass it on unchanged.");
        }
    }

    private void transferRuns(Optional<OwnerSession.HarnessProcess> process, Owner owner) {
        process.flatMap(service.sessions()::findByHarness)
                .map(OwnerSession::owner)
                .filter(before -> !before.equals(owner))
                .ifPresent(before -> service.sessions().transferRuns(before, owner));
    }

    private HookReply digestReply(HarnessHooks harnessHooks, String event, NoticeOffer offer) {
        var live = offer.occasion() == NoticeOffer.Occasion.START ? live(offer.owner()) : List.<RunRecord>of();
        var text = NoticeDigest.of(offer, live, clock.instant());
        return replyWith(harnessHooks.encodeText(event, offer.occasion(), text), offer);
    }

    private HookReply replyWith(ObjectNode json, NoticeOffer offer) {
        return new HookReply(
                json,
                () -> service.sessions().markDelivered(offer),
                () -> service.sessions().cancel(offer));
    }

    private List<RunRecord> live(Owner owner) {
        return service.list(
                new RunQuery(RunQuery.StatusFilter.LIVE, Optional.of(owner), 100, Optional.empty()),
                new Caller(owner, false));
    }

    /** Waits until Roost wakes the session, and returns the text for it; empty if the wait is over without one. */
    public Optional<HookReply> awaitWake(
            String harness, String input, Optional<OwnerSession.HarnessProcess> process, Duration timeout)
            throws InterruptedException {
        var harnessHooks = HarnessHooks.of(harness);
        var owner = process.filter(_ -> harnessHooks.hasOneSessionPerProcess())
                .flatMap(service.sessions()::findByHarness)
                .map(OwnerSession::owner)
                .or(() -> harnessHooks.owner(parse(input)));
        if (owner.isEmpty()) return Optional.empty();
        return service.sessions().awaitWake(owner.get(), timeout).map(offer -> {
            var json =
                    RunJson.MAPPER.createObjectNode().put("wake", NoticeDigest.of(offer, List.of(), clock.instant()));
            return replyWith(json, offer);
        });
    }
}
