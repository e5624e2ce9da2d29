package dev.roost.ledger;

import dev.roost.run.Owner;
import dev.roost.run.Parent;
import dev.roost.run.RunId;
import java.util.List;
import java.util.Optional;
import java.util.function.BiPredicate;

/** Parent sessions, and what is put before them. */
public interface Sessions {

    /**
     * Takes in what a harness reports, and says what is now to be put before that session: once a turn, and again in a later
     * turn if it was not seen to arrive. A turn that would end is continued only if {@code mayContinue}.
     */
    Heard hear(Report report, BiPredicate<Parent, List<Notice>> mayContinue);

    /** A digest with which an idle session is woken, if {@code mayWake}. */
    Optional<Offer> wake(Owner owner, BiPredicate<Parent, List<Notice>> mayWake);

    /** The harness has been given this offer: from now on it counts as made. */
    boolean written(long offer);

    /** Nobody took this offer, so it does not count; one that was written stays. */
    boolean withdraw(long offer);

    /** Gives live and unread runs of a session that is over, and its pending notices, to the one that follows it. */
    List<RunId> rehome(Owner from, Owner to);

    /** Gives these runs and their pending notices to another owner. */
    void adopt(List<RunId> runs, Owner to);

    Optional<Parent> find(Owner owner);

    /** The session, if it was last heard of on this node: nobody else can wake it. */
    Optional<Parent> here(Owner owner);

    /** The session that was last heard of in this process. */
    Optional<Parent> in(Parent.Harness process);

    List<Parent> all();

    /** What this owner's session has not been told in its present turn. */
    List<Notice> untold(Owner owner);
}
