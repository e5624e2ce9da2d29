package dev.roost.agent;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Buffers printed bytes and writes each whole line as a note. */
final class LineBuffer extends OutputStream {

    private final EventWriter eventWriter;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    LineBuffer(EventWriter eventWriter) {
        this.eventWriter = eventWriter;
    }

    @Override
    public synchronized void write(int one) {
        if (one == '\n') writeNote();
        else line.write(one);
    }

    /** Writes the rest of an unterminated line. */
    @Override
    public synchronized void close() {
        writeNote();
    }

    private void writeNote() {
        var text = line.toString(StandardCharsets.UTF_8).stripTrailing();
        line.reset();
        if (!text.isBlank()) eventWriter.note(text);
    }
}
