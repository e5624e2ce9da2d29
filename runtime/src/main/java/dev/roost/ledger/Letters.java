package dev.roost.ledger;

import dev.roost.run.RunId;
import java.util.List;
import java.util.Optional;

/** What people say to live attempts, and the lines that are sent for it. */
public interface Letters {

    /** What is said to a run, by whom; a call that is made again has the same {@code callKey}. */
    record Words(String body, String sender, Optional<String> callKey) {}

    /** Keeps a message for a running attempt; empty if it is not running. */
    Optional<Letter> post(RunId run, int attempt, Letter.Kind kind, Optional<String> questionId, Words words);

    /** The run to which this call has said its words already. */
    Optional<Run> toldBy(String callKey);

    /** What was said to an attempt, oldest first; delivered is what a line was sent for. */
    List<Letter> of(RunId run, int attempt);

    /** Ended runs to which somebody said something that came too late for their latest attempt. */
    List<Run> withLateWords();

    /** Gives each line its number, once by its key; those that are new. The first number is 2: 1 went in with the start. */
    List<Line> send(RunId run, int attempt, List<Line> lines);

    /** All lines sent, in order. */
    List<Line> sent(RunId run, int attempt);
}
