package dev.roost.daemon.web;

import dev.roost.base.Refusal;

/** The refusal of a browser that is not signed in. */
final class SignInRefusal {

    static final String CODE = "not_signed_in";

    private SignInRefusal() {}

    static Refusal refused() {
        return new Refusal(
                CODE,
                "This browser is not signed in, or the link was used already.",
                "Run this in a terminal, and open the link that it prints:");
    }
}
