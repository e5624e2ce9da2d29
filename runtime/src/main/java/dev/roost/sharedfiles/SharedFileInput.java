package dev.roost.sharedfiles;

import dev.roost.base.Broken;
import dev.roost.model.RunId;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Reads a whole file from the shelf, piece by piece. It breaks off if the file is replaced meanwhile. */
public final class SharedFileInput extends InputStream {

    private static final int AT_ONCE = 1 << 20;

    private final SharedFileStore store;
    private final RunId run;
    private final SharedFile file;
    private ByteArrayInputStream some = new ByteArrayInputStream(new byte[0]);
    private long at;

    public SharedFileInput(SharedFileStore store, RunId run, SharedFile file) {
        this.store = store;
        this.run = run;
        this.file = file;
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
        if (at >= file.length()) return false;
        int most = (int) Math.min(AT_ONCE, file.length() - at);
        var bytes = store.read(run, file.name(), file.version(), at, most)
                .filter(piece -> piece.length > 0)
                .orElseThrow(() -> new Broken(
                        "shelf_changed", "%s of %s was replaced.".formatted(file.name(), run), "Read it again."));
        at += bytes.length;
        some = new ByteArrayInputStream(bytes);
        return true;
    }
}
