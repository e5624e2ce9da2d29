package dev.roost.daemon.delivery;

import dev.roost.ledger.record.Delivery;

/** A way out for notices. */
interface DeliveryChannel {

    /** As the ledger calls it. */
    String name();

    /** Tries once, and takes no longer than it may. */
    DeliveryResult deliver(Delivery delivery, byte[] body) throws InterruptedException;

    /** What became of a try. */
    sealed interface DeliveryResult {

        record Delivered() implements DeliveryResult {}

        record Failed(String why) implements DeliveryResult {}

        /** Who was to receive it wants none of it, now or later. */
        record Refused(String why) implements DeliveryResult {}
    }
}
