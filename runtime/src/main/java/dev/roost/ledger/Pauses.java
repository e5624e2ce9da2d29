package dev.roost.ledger;

import dev.roost.run.Owner;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/** Times in which nobody looked after the runs. */
public interface Pauses {

    /** Somebody announces one; the one that is announced already, if there is one. */
    long announce();

    /** The one that was announced and is not over. */
    Optional<Pause> announced();

    /** What was done about it. */
    void remark(long pause, Pause.Remark remark);

    /**
     * It is over. What was announced becomes this one. Each owner of a run that was live when it began is told, once, if
     * {@code tell}; empty if it is known already.
     */
    Optional<Long> over(Pause.Kind kind, Instant beganAt, Instant endedAt, boolean tell);

    Optional<Pause> find(long pause);

    /** When something last happened to any run, as far as that is written. */
    Optional<Instant> lastEvent();

    /** Those that were not over at {@code since}, newest first, with the runs of {@code owner} or of everybody. */
    List<Pause> since(Instant since, Optional<Owner> owner);
}
