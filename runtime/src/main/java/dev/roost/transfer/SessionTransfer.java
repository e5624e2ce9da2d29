package dev.roost.transfer;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** Packs and unpacks the conversations of one agent tool. */
interface SessionTransfer {

    String name();

    /** Copies the files of a session; empty if there is no such session, or it cannot be moved. */
    Optional<SessionFiles> pack(AgentLocation location, String session, BundleDirectory directory, long most)
            throws IOException;

    /** Writes the files to where the program looks for them when it resumes the session at this location. */
    void unpack(SessionFiles conversation, AgentLocation location, BundleDirectory directory) throws IOException;

    List<SessionTransfer> ALL = List.of(
            new ClaudeSessionFiles(), new CodexSessionFiles(), new GeminiSessionFiles(), new OpenCodeSessionExport());

    static Optional<SessionTransfer> named(String name) {
        return ALL.stream()
                .filter(sessionTransfer -> sessionTransfer.name().equals(name))
                .findFirst();
    }
}
