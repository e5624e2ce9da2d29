package dev.roost.daemon.outward;

import dev.roost.ledger.Delivery;

/** A way out for notices. */
interface Channel {

    /** As the ledger calls it. */
    String name();

    /** Tries once, and takes no longer than it may. */
    Tried carry(Delivery delivery, byte[] body) throws InterruptedException;

    /** What became of a try. */
    sealed interface Tried {

        record Arrived() implements Tried {}

        record Failed(String why) implements Tried {}

        /** Who was to receive it wants none of it, now or later. */
        record Refused(String why) implements Tried {}
    }
}
