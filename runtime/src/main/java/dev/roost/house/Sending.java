package dev.roost.house;

import dev.roost.agents.Drivers;
import dev.roost.agents.Task;
import dev.roost.ledger.Letter;
import dev.roost.ledger.Letters;
import dev.roost.ledger.Position;
import dev.roost.ledger.Run;
import dev.roost.run.BadInput;
import dev.roost.run.Broken;
import dev.roost.run.NoSuchRun;
import dev.roost.run.Phase;
import dev.roost.run.Question;
import dev.roost.run.Refused;
import dev.roost.run.RunId;
import dev.roost.supervisor.PrivateFiles;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;
import java.util.stream.Collectors;
import java.util.stream.Stream;

/** A message to a run: steers a live one, answers its question, or continues one that has ended. */
final class Sending {

    private static final System.Logger LOG = System.getLogger(Sending.class.getName());

    private static final Set<String> YES = Set.of("allow", "approve", "yes", "y");
    private static final Set<String> NO = Set.of("deny", "no", "n");

    private final Rooms rooms;
    private final Attempts attempts;
    private final Outputs outputs;
    private final Holds holds = new Holds();

    Sending(Rooms rooms, Attempts attempts, Outputs outputs) {
        this.rooms = rooms;
        this.attempts = attempts;
        this.outputs = outputs;
    }

    /** Who sends, and by which call: one that is made again says nothing twice. */
    record From(Caller caller, Optional<String> callKey) {}

    Run send(Run run, String text, From from) {
        var already = from.callKey().flatMap(rooms.ledger().letters()::toldBy);
        if (already.isPresent()) return already.get();
        new Task(List.of(), Optional.of(text)); // has the limits of a prompt
        var now = run;
        if (now.latest().phase().equals(Optional.of(Phase.FINISHING))) now = outputs.awaitEnd(run.id());
        return switch (now.status()) {
            case QUEUED ->
                throw new Refused(
                        "not_started",
                        "%s has not started yet.".formatted(now.title()),
                        "Wait until it works, or stop it and start another.");
            case RUNNING -> tell(now, text, from);
            case COMPLETED, COMPLETED_EMPTY, FAILED, CANCELED_BY_USER, ABANDONED -> goOn(now, text, from);
        };
    }

    /** What has said its last word is waited for, and then continued. */
    boolean reaches(Run run) {
        if (run.latest().phase().equals(Optional.of(Phase.FINISHING))) return mayGoOn(run);
        return switch (run.status()) {
            case QUEUED -> false;
            case RUNNING ->
                run.latest().asked().isPresent()
                        || Drivers.of(run.driver()).abilities().steer();
            case COMPLETED, COMPLETED_EMPTY, FAILED, CANCELED_BY_USER, ABANDONED -> mayGoOn(run);
        };
    }

    private boolean mayGoOn(Run run) {
        return canGoOn(run)
                && rooms.config().day().exceededBy(run.owner(), rooms.ledger()).isEmpty();
    }

    private Run tell(Run run, String text, From from) {
        var question = run.latest().asked().map(asked -> asked.question());
        Optional<Letter> posted;
        if (question.isPresent()) {
            posted = answer(run, question.get(), text, from);
        } else {
            if (!Drivers.of(run.driver()).abilities().steer()) {
                throw new Refused(
                        "cannot_steer",
                        "The agent \"%s\" cannot be told anything while it works.".formatted(run.agent()),
                        "Wait for its end, then send it.");
            }
            posted = post(run, Letter.Kind.WORDS, Optional.empty(), text, from);
        }
        if (posted.isEmpty()) return send(again(run), text, from); // it ended meanwhile
        attempts.mail(run.id());
        return again(run);
    }

    private Run again(Run run) {
        return rooms.ledger()
                .runs()
                .find(run.id())
                .orElseThrow(() -> new NoSuchRun(run.id().text()));
    }

    private Optional<Letter> answer(Run run, Question question, String text, From from) {
        var id = Optional.of(question.id());
        if (question.kind() == Question.Kind.INPUT) return post(run, Letter.Kind.ANSWER, id, text, from);
        var words = text.strip().split("\\s+", 2);
        var first = words[0].toLowerCase(Locale.ROOT).replaceAll("[^a-z]", "");
        var rest = words.length > 1 ? words[1] : "";
        if (NO.contains(first))
            return post(run, Letter.Kind.DENY, id, rest.isEmpty() ? "Denied by the user." : rest, from);
        if (!YES.contains(first)) {
            throw new BadInput(
                    "bad_answer",
                    "%s asks for permission (%s); \"%s\" is neither yes nor no."
                            .formatted(run.title(), question.text(), words[0]),
                    "Send allow, or deny and why.");
        }
        if (!from.caller().operator() && !rooms.config().asking().parentMayApprove()) {
            throw new Refused(
                    "a_person_approves",
                    "%s asks for permission (%s), which a person must give.".formatted(run.title(), question.text()),
                    "Ask the user to run: roost send %s allow. You may deny it.".formatted(run.id()));
        }
        return post(run, Letter.Kind.ALLOW, id, rest, from);
    }

    private Optional<Letter> post(Run run, Letter.Kind kind, Optional<String> question, String text, From from) {
        var words = new Letters.Words(text, from.caller().asActor(), from.callKey());
        return rooms.ledger().letters().post(run.id(), run.latest().n(), kind, question, words);
    }

    /** What was said to a run while it said its last word goes into another turn of it. */
    void deliverLateWords() {
        for (var run : rooms.ledger().letters().withLateWords()) {
            try {
                if (canGoOn(run))
                    goOn(run, Optional.empty(), new From(new Caller(run.owner(), false), Optional.empty()));
            } catch (RuntimeException e) { // one that cannot be told must keep nobody else waiting
                LOG.log(System.Logger.Level.DEBUG, "%s cannot be told what came too late".formatted(run.id()), e);
            }
        }
    }

    private static boolean canGoOn(Run run) {
        return Drivers.of(run.driver()).abilities().resume() && run.sessionId().isPresent();
    }

    /** What the run's latest attempt was not told, and then {@code text}. */
    private String withLateWords(Run run, Optional<String> text) {
        var late = rooms.ledger().letters().of(run.id(), run.latest().n()).stream()
                .filter(letter -> !letter.delivered() && letter.kind() == Letter.Kind.WORDS)
                .map(Letter::body);
        return Stream.concat(late, text.stream()).collect(Collectors.joining("\n\n"));
    }

    private Run goOn(Run run, String text, From from) {
        if (!canGoOn(run)) {
            throw new Refused(
                    "cannot_continue",
                    run.sessionId().isEmpty()
                                    && Drivers.of(run.driver()).abilities().resume()
                            ? "%s ended before its conversation began, so there is none to continue."
                                    .formatted(run.title())
                            : "The agent \"%s\" keeps no conversation that could be continued.".formatted(run.agent()),
                    "Start a new run.");
        }
        return goOn(run, Optional.of(text), from) ? again(run) : send(again(run), text, from);
    }

    /** Until that is closed, nobody on this node continues the run. */
    Holds.Held hold(RunId run) {
        return holds.hold(run);
    }

    /** False if it went on without us. */
    private boolean goOn(Run run, Optional<String> text, From from) {
        rooms.config().day().refuseMore(run.owner(), rooms.ledger());
        if (!outputs.awaitSealed(run.id())) {
            var node = run.latest().node().orElse("");
            if (!rooms.peers().isHeard(node))
                throw new Broken(
                        "node_away",
                        "The last lines of %s are on %s, which is not heard of.".formatted(run.id(), node),
                        "Another node adds what is known of them; try again in a moment.");
            throw new Broken(
                    "home_unwritable",
                    "output.md of %s still lacks its last lines.".formatted(run.id()),
                    "Check the disk, and try again.");
        }
        try (var _ = hold(run.id())) {
            if (again(run).latest().n() != run.latest().n()) return false;
            try {
                rooms.peers().fetch(run);
                Jobs.prepareNext(rooms, run, run.latest().progress(), withLateWords(run, text));
                var directory = rooms.home().run(run.id());
                var position = new Position(
                        0, PrivateFiles.size(directory.output()), PrivateFiles.size(directory.transcript()));
                var next = rooms.ledger()
                        .continueAfter(run.id(), run.latest().n(), from.caller().asActor(), from.callKey(), position);
                rooms.peers().dropped(run.id(), run.latest().n() + 1);
                if (next.isEmpty()) return false;
            } catch (IOException e) {
                throw new Broken(
                        "home_unwritable",
                        "The message could not be written: %s.".formatted(e.getMessage()),
                        "Check the disk; nothing was started.");
            }
        }
        attempts.fillSoon();
        return true;
    }
}
