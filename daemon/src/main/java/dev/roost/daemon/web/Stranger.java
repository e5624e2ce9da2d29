package dev.roost.daemon.web;

import dev.roost.run.Refused;

/** Somebody whose browser was not let in, or not any more. */
final class Stranger {

    static final String CODE = "not_signed_in";

    private Stranger() {}

    static Refused refused() {
        return new Refused(
                CODE,
                "This browser is not signed in, or the link was used already.",
                "In a terminal, this prints a link that signs it in:");
    }
}
