package dev.roost.home;

import dev.roost.model.Exit;
import java.io.IOException;
import java.util.Optional;

/** The files from which a daemon learns whether a perch started, and how it ended. */
public interface PerchMarks {

    boolean isThere();

    Optional<AttemptDirectory.StartRecord> start() throws IOException;

    Optional<Exit> exit() throws IOException;

    BegunRecord beginning() throws IOException;

    /** Prevents the start of a perch that a dead daemon launched; false if the perch has started meanwhile. */
    boolean revoke() throws IOException;
}
