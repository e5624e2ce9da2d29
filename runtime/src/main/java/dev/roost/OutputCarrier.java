package dev.roost;

import dev.roost.ledger.Attempt;
import dev.roost.ledger.Position;
import dev.roost.ledger.Run;
import dev.roost.supervisor.OutputTail;
import java.io.IOException;
import java.time.Duration;
import java.util.OptionalLong;

/** Carries what an attempt says into output.md, and keeps in the ledger how far it got. */
final class OutputCarrier implements AutoCloseable {

    private static final Duration SAVE_EVERY = Duration.ofSeconds(1);
    private static final long MOST_AT_ONCE = 1 << 20;

    private final Rooms rooms;
    private final Run run;
    private final int attempt;
    private final OutputTail tail;
    private long savedOffset;
    private long savedAt;

    OutputCarrier(Rooms rooms, Run run) throws IOException {
        this.rooms = rooms;
        this.run = run;
        this.attempt = run.latest().n();
        var directory = rooms.home().run(run.id());
        var position = run.latest().position();
        this.savedOffset = position.outOffset();
        this.tail = new OutputTail(
                directory.attempt(attempt).out(), directory.output(), position.outOffset(), position.outputBytes());
    }

    /** Carries some of what is new, and wakes those who wait for it; false if there was nothing. */
    boolean carry() throws IOException {
        boolean news = tail.advance(MOST_AT_ONCE);
        if (news) rooms.changes().ring(run.id());
        long due = savedAt + SAVE_EVERY.toNanos();
        if (tail.rawOffset() != savedOffset && rooms.clock().monotonicNanos() >= due) save();
        return news;
    }

    /** When the position is to be saved next. */
    OptionalLong due() {
        return tail.rawOffset() == savedOffset ? OptionalLong.empty() : OptionalLong.of(savedAt + SAVE_EVERY.toNanos());
    }

    void save() {
        if (tail.rawOffset() == savedOffset) return;
        rooms.ledger().progressed(run.id(), attempt, position());
        savedOffset = tail.rawOffset();
        savedAt = rooms.clock().monotonicNanos();
    }

    /** Carries all of it: nobody writes any more. */
    void drain() throws IOException {
        tail.advance(Long.MAX_VALUE);
    }

    Position position() {
        return new Position(tail.rawOffset(), tail.readableLength());
    }

    long length() {
        return tail.readableLength();
    }

    /** Ends output.md with what became of the attempt, as the ledger has it. */
    void seal(Attempt ended) throws IOException {
        var directory = rooms.home().run(run.id()).attempt(ended.n());
        tail.append("\n---\n%s\n".formatted(Results.inOneLine(ended)));
        if (!Results.saidInOutput(directory)) {
            tail.append(
                    "\n" + rooms.ledger().result(run.id(), ended.n()).orElse("The result is in " + directory.result()));
        }
        rooms.ledger().sealed(run.id(), ended.n());
    }

    @Override
    public void close() throws IOException {
        tail.close();
    }
}
