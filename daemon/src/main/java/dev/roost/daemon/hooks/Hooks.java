package dev.roost.daemon.hooks;

import dev.roost.daemon.wire.Json;
import dev.roost.house.Caller;
import dev.roost.house.House;
import dev.roost.ledger.Offer;
import dev.roost.ledger.Query;
import dev.roost.ledger.Report;
import dev.roost.ledger.Run;
import dev.roost.run.BadInput;
import dev.roost.run.Owner;
import dev.roost.run.Parent;
import dev.roost.run.ParentEvent;
import dev.roost.run.Words;
import dev.roost.sessions.Digest;
import java.time.Duration;
import java.time.InstantSource;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.function.Predicate;
import tools.jackson.core.JacksonException;
import tools.jackson.databind.JsonNode;
import tools.jackson.databind.node.ObjectNode;

/** Takes in what hooks report, and answers with what is to be put before the session. */
public final class Hooks {

    private static final Map<String, Vocabulary> HARNESSES = Map.of(
            "claude-code", new ClaudeCode("claude"),
            "codex", new ClaudeCode("codex"),
            "gemini", new Gemini(),
            "opencode", new OpenCode());

    private final House house;
    private final InstantSource clock;
    private final Predicate<Parent.Harness> ours;

    /** {@code ours} are the harnesses that we have started ourselves, to continue a session. */
    public Hooks(House house, InstantSource clock, Predicate<Parent.Harness> ours) {
        this.house = house;
        this.clock = clock;
        this.ours = ours;
    }

    /** What to print, nothing if it is empty; and what to do once that has been given to the harness, or was not. */
    public record Answer(ObjectNode json, Runnable afterwards, Runnable otherwise) {
        static Answer silence() {
            return of(Json.MAPPER.createObjectNode());
        }

        static Answer of(ObjectNode json) {
            return new Answer(json, () -> {}, () -> {});
        }
    }

    /** {@code process}: of the harness, if it is on this machine; {@code whose}: the only owner it may speak for. */
    public Answer hear(
            String harness, String event, String input, Optional<Parent.Harness> process, Optional<Owner> whose) {
        var vocabulary = vocabulary(harness);
        var said = parse(input);
        var meant = vocabulary.read(event, said).map(one -> goesOn(one, process) ? new ParentEvent.Seen() : one);
        var owner = whose.or(() -> vocabulary.owner(said));
        if (meant.isEmpty() || owner.isEmpty()) return Answer.silence();
        if (vocabulary.follows(event, said)) rehome(process, owner.get());
        var heard = house.sessions()
                .hear(new Report(owner.get(), harness, home(owner.get(), meant.get(), said), process, meant.get()));
        if (heard.offer().isPresent())
            return offered(vocabulary, event, heard.offer().get());
        boolean begins = meant.get() instanceof ParentEvent.Started || event.equals("SessionStart");
        var live = begins ? live(owner.get()) : List.<Run>of();
        if (live.isEmpty()) return Answer.silence();
        var text = Digest.of(live, "s_" + heard.parent().turn(), clock.instant());
        return Answer.of(vocabulary.say(event, Offer.Occasion.START, text));
    }

    /** The prompt with which we started it is what it has to be told in this turn. */
    private boolean goesOn(ParentEvent event, Optional<Parent.Harness> process) {
        return event instanceof ParentEvent.Started && process.filter(ours).isPresent();
    }

    private static Vocabulary vocabulary(String harness) {
        var vocabulary = HARNESSES.get(harness);
        if (vocabulary != null) return vocabulary;
        throw new BadInput(
                "unknown_harness",
                "There is no harness \"%s\".".formatted(Words.printable(harness)),
                "Known harnesses: %s.".formatted(String.join(", ", HARNESSES.keySet())));
    }

    /** Where the session began: where it has gone since with its tools is not its project. */
    private Optional<String> home(Owner owner, ParentEvent event, JsonNode said) {
        boolean known = house.sessions().find(owner).flatMap(Parent::home).isPresent();
        return known && !(event instanceof ParentEvent.Started)
                ? Optional.empty()
                : said.path("cwd").asStringOpt();
    }

    private static JsonNode parse(String input) {
        try {
            return input.isBlank() ? Json.MAPPER.createObjectNode() : Json.MAPPER.readTree(input);
        } catch (JacksonException e) {
            throw new BadInput("bad_json", "What the hook was given is not JSON.", "Pass it on as it was.");
        }
    }

    private void rehome(Optional<Parent.Harness> process, Owner owner) {
        process.flatMap(house.sessions()::in)
                .map(Parent::owner)
                .filter(before -> !before.equals(owner))
                .ifPresent(before -> house.sessions().rehome(before, owner));
    }

    private Answer offered(Vocabulary vocabulary, String event, Offer offer) {
        var live = offer.occasion() == Offer.Occasion.START ? live(offer.owner()) : List.<Run>of();
        var text = Digest.of(offer, live, clock.instant());
        return given(vocabulary.say(event, offer.occasion(), text), offer);
    }

    private Answer given(ObjectNode json, Offer offer) {
        return new Answer(
                json,
                () -> house.sessions().wasOffered(offer),
                () -> house.sessions().wasNotOffered(offer));
    }

    private List<Run> live(Owner owner) {
        return house.list(
                new Query(Query.Which.LIVE, Optional.of(owner), 100, Optional.empty()), new Caller(owner, false));
    }

    /** Waits until the session is to be woken, and says with what; silence if there is no need to wait any more. */
    public Optional<Answer> awaitWake(String harness, String input, Optional<Parent.Harness> process, Duration timeout)
            throws InterruptedException {
        var vocabulary = vocabulary(harness);
        var owner = process.filter(_ -> vocabulary.oneSessionAProcess())
                .flatMap(house.sessions()::in)
                .map(Parent::owner)
                .or(() -> vocabulary.owner(parse(input)));
        if (owner.isEmpty()) return Optional.empty();
        return house.sessions().awaitWake(owner.get(), timeout).map(offer -> {
            var json = Json.MAPPER.createObjectNode().put("wake", Digest.of(offer, List.of(), clock.instant()));
            return given(json, offer);
        });
    }
}
