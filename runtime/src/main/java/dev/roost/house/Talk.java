package dev.roost.house;

import dev.roost.agents.Driver;
import dev.roost.agents.Heard;
import dev.roost.agents.LastWord;
import dev.roost.ledger.Attempt;
import dev.roost.ledger.Letter;
import dev.roost.ledger.Progress;
import dev.roost.ledger.Run;
import dev.roost.run.Exit;
import dev.roost.run.Phase;
import dev.roost.run.Question;
import dev.roost.run.Usage;
import dev.roost.supervisor.AttemptDirectory;
import java.io.IOException;
import java.time.Duration;
import java.util.HashSet;
import java.util.Optional;
import java.util.Set;

/** What passes between an attempt and the world: its words out, letters in, and what the ledger is told of both. */
final class Talk implements AutoCloseable {

    private static final Duration SAVE_EVERY = Duration.ofSeconds(1);

    /** The time it was at work is worth saving even when nothing else is new. */
    private static final Duration SAVE_ANYHOW = Duration.ofMinutes(5);

    private final Rooms rooms;
    private final Run run;
    private final int attempt;
    private final Driver driver;
    private final ActiveTime time;
    private final Scribe scribe;
    private final Outbox outbox;
    private final Set<Long> told = new HashSet<>();
    private volatile boolean mail = true;
    private Phase phase;
    private Optional<Question> question;
    private Progress saved;
    private long savedAt;

    Talk(Rooms rooms, Run run, AttemptDirectory directory, Driver driver, ActiveTime time) throws IOException {
        this.rooms = rooms;
        this.run = run;
        this.attempt = run.latest().n();
        this.driver = driver;
        this.time = time;
        this.outbox = new Outbox(rooms, run, directory);
        this.phase = run.latest().phase().orElse(Phase.STARTING);
        this.question = run.latest().asked().map(Attempt.Asked::question);
        this.saved = run.latest().progress();
        this.savedAt = rooms.clock().monotonicNanos() - SAVE_EVERY.toNanos();
        rooms.ledger().letters().of(run.id(), attempt).stream()
                .filter(Letter::delivered)
                .forEach(letter -> told.add(letter.id()));
        // the last, as it is what has to be closed; a command needs no reading, and so not its job either
        this.scribe = new Scribe(
                rooms,
                run,
                driver.name().equals("command") ? Optional.empty() : driver.dialog(Jobs.of(rooms, run, directory)));
    }

    /** Carries words both ways; true if the agent had something to say. */
    boolean carry() throws IOException {
        // after its last word it hears no more, not even if it takes that back
        if (mail && driver.abilities().steer() && last().isEmpty() && !outbox.ended()) readMail();
        boolean news = scribe.carry();
        outbox.send(scribe.takeLines());
        if (rooms.clock().monotonicNanos() >= due()) save();
        return news;
    }

    /** What cannot be looked at or written down now is looked at the next time; what was told is not told again. */
    private void readMail() throws IOException {
        mail = false; // first: more may come meanwhile
        try {
            for (var letter : rooms.ledger().letters().of(run.id(), attempt))
                if (told.add(letter.id())) scribe.tell(letter);
        } catch (IOException | RuntimeException e) {
            mail = true;
            throw e;
        }
    }

    /** Somebody has written. */
    void mail() {
        mail = true;
    }

    /** Its processes are there; the ledger knows. */
    void began() {
        if (phase == Phase.STARTING) phase = Phase.WORKING;
    }

    /** Hears all that is left to hear: the process is over. */
    void drain(Optional<Exit> exit) throws IOException {
        scribe.drain();
        if (exit.isPresent()) scribe.over(exit.get());
    }

    Heard heard() {
        return scribe.heard();
    }

    Optional<LastWord> last() {
        return scribe.heard().last();
    }

    long outputLength() {
        return scribe.position().outputBytes();
    }

    /** Used by this attempt, priced by our own table where its program tells no cost. */
    Usage usage() {
        var usage = heard().usage();
        if (usage.costMicros().isPresent()) return usage;
        return heard().model()
                .flatMap(model -> rooms.config().prices().cost(model, usage))
                .map(usage::withCost)
                .orElse(usage);
    }

    Progress progress() {
        return new Progress(scribe.position(), usage(), time.active(), time.waited(), heard().session());
    }

    /** When progress is to be saved next. */
    long due() {
        boolean news = !saved.position().equals(scribe.position())
                || !saved.usage().equals(usage())
                || !(saved.sessionId().equals(heard().session())
                        || run.sessionId().equals(heard().session()));
        return savedAt + (news ? SAVE_EVERY : SAVE_ANYHOW).toNanos();
    }

    void save() {
        var now = progress();
        rooms.ledger().progressed(run.id(), attempt, now);
        saved = now;
        savedAt = rooms.clock().monotonicNanos();
    }

    /** Tells the ledger where the attempt is, if that is news. */
    void at(Phase where) {
        var asked = where == Phase.NEEDS_INPUT ? heard().question() : Optional.<Question>empty();
        if (where == phase && asked.equals(question)) return;
        time.waiting(false); // one question's wait is not the next one's
        time.waiting(where == Phase.NEEDS_INPUT);
        save(); // with the time it was at work until now
        rooms.ledger().phase(run.id(), attempt, where, asked);
        phase = where;
        question = asked;
    }

    Phase phase() {
        return phase;
    }

    void remark(String text) throws IOException {
        scribe.remark(text);
    }

    void seal(Attempt ended) throws IOException {
        scribe.seal(ended);
    }

    @Override
    public void close() throws IOException {
        scribe.close();
    }
}
