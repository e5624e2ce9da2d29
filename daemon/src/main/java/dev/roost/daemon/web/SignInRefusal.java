package dev.roost.daemon.web;

import dev.roost.base.Refusal;

/** Somebody whose browser was not let in, or not any more. */
final class SignInRefusal {

    static final String CODE = "not_signed_in";

    private SignInRefusal() {}

    static Refusal refused() {
        return new Refusal(
                CODE,
                "This browser is not signed in, or the link was used already.",
                "In a terminal, this prints a link that signs it in:");
    }
}
