package dev.roost.house;

import dev.roost.ledger.Line;
import dev.roost.ledger.Run;
import dev.roost.supervisor.AttemptDirectory;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Brings lines to one attempt's standard input, each once: first they are in the ledger, then in a file for the perch. */
final class Outbox {

    private final Rooms rooms;
    private final Run run;
    private final AttemptDirectory directory;
    private final Set<String> known = new HashSet<>();
    private final List<Line> unsent = new ArrayList<>();
    private final Deque<Line> unfed = new ArrayDeque<>();

    Outbox(Rooms rooms, Run run, AttemptDirectory directory) throws IOException {
        this.rooms = rooms;
        this.run = run;
        this.directory = directory;
        for (var line : rooms.ledger().letters().sent(run.id(), run.latest().n())) {
            known.add(line.key());
            directory.feed(line.n(), line.text()); // the daemon before us may have died just there
        }
    }

    /** Sends these, and what could not be sent before. */
    void send(List<Line> lines) throws IOException {
        for (var line : lines) if (known.add(line.key())) unsent.add(line);
        if (!unsent.isEmpty()) {
            unfed.addAll(rooms.ledger().letters().send(run.id(), run.latest().n(), unsent));
            unsent.clear();
        }
        for (var line = unfed.peek(); line != null; line = unfed.peek()) {
            directory.feed(line.n(), line.text());
            unfed.remove();
        }
    }

    /** Whether it was told that nothing more will come. */
    boolean ended() {
        return known.contains(Line.END);
    }
}
