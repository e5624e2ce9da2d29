package dev.roost.luggage;

import java.io.IOException;
import java.util.List;
import java.util.Optional;

/** How one agent's program keeps its conversations, and how they get to another machine. */
interface Tool {

    String name();

    /** Copies what belongs to the session; nothing if there is none, or none that could travel. */
    Optional<Conversation> pack(Seat seat, String session, Hold hold, long most) throws IOException;

    /** Puts it where the program looks for it, when it is started on this seat to resume. */
    void unpack(Conversation conversation, Seat seat, Hold hold) throws IOException;

    List<Tool> ALL = List.of(new ClaudeFiles(), new CodexFiles(), new GeminiFiles(), new OpenCodeExport());

    static Optional<Tool> named(String name) {
        return ALL.stream().filter(tool -> tool.name().equals(name)).findFirst();
    }
}
