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

/** Sends lines to the standard input of one attempt, each once: it commits them to the ledger, then files them for the perch. */
final class AgentInputWriter {

    private final RuntimeContext context;
    private final RunRecord run;
    private final AttemptDirectory directory;
    private final Set<String> known = new HashSet<>();
    private final List<InputLine> unsent = new ArrayList<>();
    private final Deque<InputLine> unwritten = new ArrayDeque<>();

    AgentInputWriter(RuntimeContext context, RunRecord run, AttemptDirectory directory) throws IOException {
        this.context = context;
        this.run = run;
        this.directory = directory;
        for (var line : context.ledger().messages().sent(run.id(), run.latest().n())) {
            known.add(line.key());
            directory.addInputLine(line.n(), line.text()); // an earlier daemon may have died before it wrote the file
        }
    }

    /** Sends these lines, after those that an earlier call failed to send. */
    void send(List<InputLine> lines) throws IOException {
        for (var line : lines) if (known.add(line.key())) unsent.add(line);
        if (!unsent.isEmpty()) {
            unwritten.addAll(
                    context.ledger().messages().send(run.id(), run.latest().n(), unsent));
            unsent.clear();
        }
        for (var line = unwritten.peek(); line != null; line = unwritten.peek()) {
            directory.addInputLine(line.n(), line.text());
            unwritten.remove();
        }
    }

    /** Whether the end of input was sent. */
    boolean ended() {
        return known.contains(InputLine.END);
    }
}
