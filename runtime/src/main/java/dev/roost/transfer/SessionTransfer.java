package dev.roost.transfer;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** How one agent's program keeps its conversations, and how they get to another machine. */
interface SessionTransfer {

    String name();

    /** Copies what belongs to the session; nothing if there is none, or none that could travel. */
    Optional<SessionFiles> pack(AgentLocation location, String session, BundleDirectory directory, long most)
            throws IOException;

    /** Puts it where the program looks for it, when it is started on this seat to resume. */
    void unpack(SessionFiles conversation, AgentLocation location, BundleDirectory directory) throws IOException;

    List<SessionTransfer> ALL = List.of(
            new ClaudeSessionFiles(), new CodexSessionFiles(), new GeminiSessionFiles(), new OpenCodeSessionExport());

    static Optional<SessionTransfer> named(String name) {
        return ALL.stream()
                .filter(sessionTransfer -> sessionTransfer.name().equals(name))
                .findFirst();
    }
}
