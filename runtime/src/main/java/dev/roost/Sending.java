package dev.roost;

import dev.roost.agents.Drivers;
import dev.roost.agents.Task;
import dev.roost.ledger.Letter;
import dev.roost.ledger.Position;
import dev.roost.ledger.Run;
import dev.roost.run.BadInput;
import dev.roost.run.Broken;
import dev.roost.run.NoSuchRun;
import dev.roost.run.Phase;
import dev.roost.run.Question;
import dev.roost.run.Refused;
import dev.roost.supervisor.PrivateFiles;
import java.io.IOException;
import java.util.List;
import java.util.Locale;
import java.util.Optional;
import java.util.Set;

/** A message to a run: steers a live one, answers its question, or continues one that has ended. */
final class Sending {

    private static final Set<String> YES = Set.of("allow", "approve", "yes", "y");
    private static final Set<String> NO = Set.of("deny", "no", "n");

    private final Rooms rooms;
    private final Attempts attempts;
    private final Outputs outputs;
    private final Object oneAtATime = new Object();

    Sending(Rooms rooms, Attempts attempts, Outputs outputs) {
        this.rooms = rooms;
        this.attempts = attempts;
        this.outputs = outputs;
    }

    Run send(Run run, String text, Caller caller) {
        new Task(List.of(), Optional.of(text)); // has the limits of a prompt
        var now = run;
        if (now.latest().phase().equals(Optional.of(Phase.FINISHING))) now = outputs.awaitEnd(run.id());
        return switch (now.status()) {
            case QUEUED ->
                throw new Refused(
                        "not_started",
                        "%s has not started yet.".formatted(now.title()),
                        "Wait until it works, or stop it and start another.");
            case RUNNING -> tell(now, text, caller);
            case COMPLETED, COMPLETED_EMPTY, FAILED, CANCELED_BY_USER, ABANDONED -> goOn(now, text, caller);
        };
    }

    private Run tell(Run run, String text, Caller caller) {
        var question = run.latest().asked().map(asked -> asked.question());
        Optional<Letter> posted;
        if (question.isPresent()) {
            posted = answer(run, question.get(), text, caller);
        } else {
            if (!Drivers.of(run.driver()).abilities().steer()) {
                throw new Refused(
                        "cannot_steer",
                        "The agent \"%s\" cannot be told anything while it works.".formatted(run.agent()),
                        "Wait for its end, then send it.");
            }
            posted = post(run, Letter.Kind.WORDS, Optional.empty(), text, caller);
        }
        if (posted.isEmpty()) return send(again(run), text, caller); // it ended meanwhile
        attempts.mail(run.id());
        return again(run);
    }

    private Run again(Run run) {
        return rooms.ledger()
                .find(run.id())
                .orElseThrow(() -> new NoSuchRun(run.id().text()));
    }

    private Optional<Letter> answer(Run run, Question question, String text, Caller caller) {
        var id = Optional.of(question.id());
        if (question.kind() == Question.Kind.INPUT) return post(run, Letter.Kind.ANSWER, id, text, caller);
        var words = text.strip().split("\\s+", 2);
        var first = words[0].toLowerCase(Locale.ROOT).replaceAll("[^a-z]", "");
        var rest = words.length > 1 ? words[1] : "";
        if (NO.contains(first))
            return post(run, Letter.Kind.DENY, id, rest.isEmpty() ? "Denied by the user." : rest, caller);
        if (!YES.contains(first)) {
            throw new BadInput(
                    "bad_answer",
                    "%s asks for permission (%s); \"%s\" is neither yes nor no."
                            .formatted(run.title(), question.text(), words[0]),
                    "Send allow, or deny and why.");
        }
        if (!caller.operator() && !rooms.config().asking().parentMayApprove()) {
            throw new Refused(
                    "a_person_approves",
                    "%s asks for permission (%s), which a person must give.".formatted(run.title(), question.text()),
                    "Ask the user to run: roost send %s allow. You may deny it.".formatted(run.id()));
        }
        return post(run, Letter.Kind.ALLOW, id, rest, caller);
    }

    private Optional<Letter> post(Run run, Letter.Kind kind, Optional<String> question, String text, Caller caller) {
        return rooms.ledger().post(run.id(), run.latest().n(), kind, question, text, caller.asActor());
    }

    /** What was said to a run while it said its last word goes into another turn of it. */
    void deliverLateWords() {
        for (var run : rooms.ledger().withLateWords()) {
            if (!Drivers.of(run.driver()).abilities().resume()
                    || run.sessionId().isEmpty()) continue;
            var late = rooms.ledger().letters(run.id(), run.latest().n()).stream()
                    .filter(letter -> !letter.delivered() && letter.kind() == Letter.Kind.WORDS)
                    .map(Letter::body)
                    .toList();
            goOn(run, String.join("\n\n", late), new Caller(run.owner(), false));
        }
    }

    private Run goOn(Run run, String text, Caller caller) {
        if (!Drivers.of(run.driver()).abilities().resume() || run.sessionId().isEmpty()) {
            throw new Refused(
                    "cannot_continue",
                    run.sessionId().isEmpty()
                                    && Drivers.of(run.driver()).abilities().resume()
                            ? "%s ended before its conversation began, so there is none to continue."
                                    .formatted(run.title())
                            : "The agent \"%s\" keeps no conversation that could be continued.".formatted(run.agent()),
                    "Start a new run.");
        }
        outputs.awaitSealed(run.id());
        synchronized (oneAtATime) {
            if (again(run).latest().n() != run.latest().n()) return send(again(run), text, caller);
            try {
                Jobs.prepareNext(rooms, run, run.latest().progress(), text);
                var directory = rooms.home().run(run.id());
                var from = new Position(
                        0, PrivateFiles.size(directory.output()), PrivateFiles.size(directory.transcript()));
                var went = rooms.ledger().continueAfter(run.id(), run.latest().n(), caller.asActor(), from);
                if (went.isEmpty()) return send(again(run), text, caller);
            } catch (IOException e) {
                throw new Broken(
                        "home_unwritable",
                        "The message could not be written: %s.".formatted(e.getMessage()),
                        "Check the disk; nothing was started.");
            }
        }
        attempts.fillSoon();
        return again(run);
    }
}
