package dev.roost.daemon.delivery;

import dev.roost.ledger.record.Delivery;

/** A channel by which notices are delivered. */
interface DeliveryChannel {

    /** The channel's name in the ledger. */
    String name();

    /** Tries once, within the channel's timeout. */
    DeliveryResult deliver(Delivery delivery, byte[] body) throws InterruptedException;

    /** The result of a try. */
    sealed interface DeliveryResult {

        record Delivered() implements DeliveryResult {}

        record Failed(String why) implements DeliveryResult {}

        /** The receiver refuses the notice for good. */
        record Refused(String why) implements DeliveryResult {}
    }
}
