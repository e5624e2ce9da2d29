package dev.roost.agent;

import java.io.ByteArrayOutputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;

/** Whole lines of what is printed. */
final class Printed extends OutputStream {

    private final Voice voice;
    private final ByteArrayOutputStream line = new ByteArrayOutputStream();

    Printed(Voice voice) {
        this.voice = voice;
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
        if (!text.isBlank()) voice.note(text);
    }
}
