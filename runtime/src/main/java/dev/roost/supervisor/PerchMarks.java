package dev.roost.supervisor;

import dev.roost.run.Exit;
import java.io.IOException;
import java.util.Optional;

/** What perches leave behind before the agent's first instruction. */
public interface PerchMarks {

    boolean isThere();

    Optional<AttemptDirectory.Start> start() throws IOException;

    Optional<Exit> exit() throws IOException;

    Beginning beginning() throws IOException;

    /** Makes sure that a perch sent off by a daemon that is gone will not begin any more; false if it just has. */
    boolean revoke() throws IOException;
}
