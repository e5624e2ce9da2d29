package dev.roost.attempt.core;

import java.io.IOException;

/** Observes one attempt and acts on it; decides nothing. */
public interface AttemptActions {

    /** Reads new output, delivers messages, and returns what there is to see. */
    Observation observe() throws IOException;

    void perform(AttemptAction action) throws IOException;
}
