package dev.roost.daemon.http;

/** Checks whether an authenticated client would still be authenticated now. */
public interface SessionCheck {

    boolean isStillValid();
}
