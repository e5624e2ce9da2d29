package dev.roost.agent;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Whole lines of what is printed. */
final class LineBuffer extends OutputStream {

    private final EventWriter eventWriter;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    LineBuffer(EventWriter eventWriter) {
        this.eventWriter = eventWriter;
    }

    @Override
    public synchronized void write(int one) {
        if (one == '\n') tell();
        else line.write(one);
    }

    /** The rest of a line that never ended. */
    @Override
    public synchronized void close() {
        tell();
    }

    private void tell() {
        var text = line.toString(StandardCharsets.UTF_8).stripTrailing();
        line.reset();
        if (!text.isBlank()) eventWriter.note(text);
    }
}
