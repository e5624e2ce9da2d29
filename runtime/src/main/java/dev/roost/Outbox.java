package dev.roost;

import dev.roost.ledger.Line;
import dev.roost.ledger.Run;
import dev.roost.supervisor.AttemptDirectory;
import java.io.IOException;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Brings lines to one attempt's standard input, each once: first they are in the ledger, then in a file for the perch. */
final class Outbox {

    private final Rooms rooms;
    private final Run run;
    private final AttemptDirectory directory;
    private final Set<String> known = new HashSet<>();

    Outbox(Rooms rooms, Run run, AttemptDirectory directory) throws IOException {
        this.rooms = rooms;
        this.run = run;
        this.directory = directory;
        for (var line : rooms.ledger().sent(run.id(), run.latest().n())) {
            known.add(line.key());
            directory.feed(line.n(), line.text()); // the daemon before us may have died just there
        }
    }

    void send(List<Line> lines) throws IOException {
        var fresh = lines.stream().filter(line -> !known.contains(line.key())).toList();
        if (fresh.isEmpty()) return;
        for (var line : rooms.ledger().send(run.id(), run.latest().n(), fresh)) directory.feed(line.n(), line.text());
        fresh.forEach(line -> known.add(line.key()));
    }
}
