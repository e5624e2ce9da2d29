package dev.roost.attempt;

import dev.roost.engine.RuntimeContext;
import dev.roost.home.AttemptDirectory;
import dev.roost.ledger.record.InputLine;
import dev.roost.ledger.record.RunRecord;
import java.io.IOException;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.HashSet;
import java.util.List;
import java.util.Set;

/** Brings lines to one attempt's standard input, each once: first they are in the ledger, then in a file for the perch. */
final class AgentInputWriter {

    private final RuntimeContext context;
    private final RunRecord run;
    private final AttemptDirectory directory;
    private final Set<String> known = new HashSet<>();
    private final List<InputLine> unsent = new ArrayList<>();
    private final Deque<InputLine> unfed = new ArrayDeque<>();

    AgentInputWriter(RuntimeContext context, RunRecord run, AttemptDirectory directory) throws IOException {
        this.context = context;
        this.run = run;
        this.directory = directory;
        for (var line : context.ledger().messages().sent(run.id(), run.latest().n())) {
            known.add(line.key());
            directory.addInputLine(line.n(), line.text()); // the daemon before us may have died just there
        }
    }

    /** Sends these, and what could not be sent before. */
    void send(List<InputLine> lines) throws IOException {
        for (var line : lines) if (known.add(line.key())) unsent.add(line);
        if (!unsent.isEmpty()) {
            unfed.addAll(context.ledger().messages().send(run.id(), run.latest().n(), unsent));
            unsent.clear();
        }
        for (var line = unfed.peek(); line != null; line = unfed.peek()) {
            directory.addInputLine(line.n(), line.text());
            unfed.remove();
        }
    }

    /** Whether it was told that nothing more will come. */
    boolean ended() {
        return known.contains(InputLine.END);
    }
}
