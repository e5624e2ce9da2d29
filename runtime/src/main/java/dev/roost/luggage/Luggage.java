package dev.roost.luggage;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;

/** All that a run takes along. Its pieces lie in a folder of their own, which goes when it is closed. */
public record Luggage(Facts facts, Optional<Conversation> conversation, Optional<Work> work, Path folder)
        implements AutoCloseable {

    /** Reads what {@link #write} wrote, to its end, before anything of it is believed. */
    public static Luggage read(InputStream from, Path scratch, Limits limits) {
        return Format.read(from, scratch, limits);
    }

    public void write(OutputStream to) throws IOException {
        Format.write(this, to);
    }

    /** The same as long as neither conversation nor work went on. */
    public String fingerprint() {
        var text = new StringBuilder();
        conversation.ifPresent(one -> one.pieces()
                .forEach(piece -> text.append(piece.name())
                        .append(' ')
                        .append(piece.sha256())
                        .append('\n')));
        work.ifPresent(one -> text.append(one.parcel()).append(one.remote()));
        return HexFormat.of().formatHex(Hold.sha256().digest(text.toString().getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public void close() {
        try {
            Hold.delete(folder);
        } catch (IOException e) {
            System.getLogger(Luggage.class.getName())
                    .log(System.Logger.Level.WARNING, "luggage could not be removed: " + folder, e);
        }
    }
}
