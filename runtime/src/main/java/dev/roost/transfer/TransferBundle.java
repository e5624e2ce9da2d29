package dev.roost.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;

/** All that a run takes along. Its pieces lie in a folder of their own, which goes when it is closed. */
public record TransferBundle(
        BundleHeader header, Optional<SessionFiles> conversation, Optional<BundledCheckpoint> work, Path folder)
        implements AutoCloseable {

    /** Reads what {@link #write} wrote, to its end, before anything of it is believed. */
    public static TransferBundle read(InputStream from, Path scratch, BundleLimits limits) {
        return BundleFormat.read(from, scratch, limits);
    }

    public void write(OutputStream to) throws IOException {
        BundleFormat.write(this, to);
    }

    /** The same as long as neither conversation nor work went on. */
    public String fingerprint() {
        var text = new StringBuilder();
        conversation.ifPresent(one -> one.pieces()
                .forEach(piece -> text.append(piece.name())
                        .append(' ')
                        .append(piece.sha256())
                        .append('\n')));
        work.ifPresent(one -> text.append(one.descriptor()).append(one.remote()));
        return HexFormat.of()
                .formatHex(BundleDirectory.sha256().digest(text.toString().getBytes(StandardCharsets.UTF_8)));
    }

    @Override
    public void close() {
        try {
            BundleDirectory.delete(folder);
        } catch (IOException e) {
            System.getLogger(TransferBundle.class.getName())
                    .log(System.Logger.Level.WARNING, "luggage could not be removed: " + folder, e);
        }
    }
}
