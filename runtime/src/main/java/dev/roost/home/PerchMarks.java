package dev.roost.home;

import dev.roost.model.Exit;
import java.io.IOException;
import java.util.Optional;

/** What perches leave behind before the agent's first instruction. */
public interface PerchMarks {

    boolean isThere();

    Optional<AttemptDirectory.StartRecord> start() throws IOException;

    Optional<Exit> exit() throws IOException;

    BegunRecord beginning() throws IOException;

    /** Makes sure that a perch sent off by a daemon that is gone will not begin any more; false if it just has. */
    boolean revoke() throws IOException;
}
