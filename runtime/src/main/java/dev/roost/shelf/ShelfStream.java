package dev.roost.shelf;

import dev.roost.run.Broken;
import dev.roost.run.RunId;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Reads a whole file from the shelf, piece by piece. It breaks off if the file is replaced meanwhile. */
public final class ShelfStream extends InputStream {

    private static final int AT_ONCE = 1 << 20;

    private final Shelf shelf;
    private final RunId run;
    private final Kept kept;
    private ByteArrayInputStream some = new ByteArrayInputStream(new byte[0]);
    private long at;

    public ShelfStream(Shelf shelf, RunId run, Kept kept) {
        this.shelf = shelf;
        this.run = run;
        this.kept = kept;
    }

    @Override
    public int read() throws IOException {
        return isThereMore() ? some.read() : -1;
    }

    @Override
    public int read(byte[] into, int from, int most) throws IOException {
        if (most == 0) return 0;
        return isThereMore() ? some.read(into, from, most) : -1;
    }

    private boolean isThereMore() throws IOException {
        if (some.available() > 0) return true;
        if (at >= kept.length()) return false;
        int most = (int) Math.min(AT_ONCE, kept.length() - at);
        var bytes = shelf.read(run, kept.name(), kept.version(), at, most)
                .filter(piece -> piece.length > 0)
                .orElseThrow(() -> new Broken(
                        "shelf_changed", "%s of %s was replaced.".formatted(kept.name(), run), "Read it again."));
        at += bytes.length;
        some = new ByteArrayInputStream(bytes);
        return true;
    }
}
