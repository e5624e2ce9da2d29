package dev.roost.daemon.http;

/** Whether who was let in would be let in now, too. */
public interface SessionCheck {

    boolean isStillValid();
}
