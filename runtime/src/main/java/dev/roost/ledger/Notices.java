package dev.roost.ledger;

import dev.roost.run.Owner;
import dev.roost.run.RunId;
import java.util.List;
import java.util.Optional;

/** What owners are to be told, until they are known to have heard. */
public interface Notices {

    /** Notices that nobody has acknowledged, oldest first. */
    List<Notice> pending(Optional<Owner> owner);

    /** Every notice ever written about this run. */
    List<NoticeTrace> of(RunId run);

    /** Acknowledges pending notices of {@code owner}, or anybody's if empty; those that were still pending. */
    List<Long> acknowledge(List<Long> notices, Optional<Owner> owner);

    /** The owner has been given this end: clears {@code unread} and acknowledges its notice. */
    boolean read(RunId run, int attempt);
}
