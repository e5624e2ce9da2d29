package dev.roost.transfer;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import java.util.HexFormat;
import java.util.Optional;

/** The files of a run that another machine needs to continue it. They are in a temporary folder, which {@link #close} deletes. */
public record TransferBundle(
        BundleHeader header, Optional<SessionFiles> conversation, Optional<BundledCheckpoint> work, Path folder)
        implements AutoCloseable {

    /** Reads and checks a whole bundle that {@link #write} wrote. */
    public static TransferBundle read(InputStream from, Path scratch, BundleLimits limits) {
        return BundleFormat.read(from, scratch, limits);
    }

    public void write(OutputStream to) throws IOException {
        BundleFormat.write(this, to);
    }

    /** A hash that changes when the conversation or the work changes. */
    public String fingerprint() {
        var text = new StringBuilder();
        conversation.ifPresent(one -> one.pieces()
                .forEach(entry -> text.append(entry.name())
                        .append(' ')
                        .append(entry.sha256())
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
                    .log(
                            System.Logger.Level.WARNING,
                            "the files of a transfer bundle could not be removed: " + folder,
                            e);
        }
    }
}
