package dev.roost.cluster.files;

import dev.roost.base.ErrorCode;
import dev.roost.model.RunId;
import java.io.ByteArrayInputStream;
import java.io.IOException;
import java.io.InputStream;

/** Reads a whole file from the shared file store, chunk by chunk. Throws if the file is replaced meanwhile. */
public final class SharedFileInput extends InputStream {

    private static final int CHUNK = 1 << 20;

    private final PostgresFileStore store;
    private final RunId run;
    private final SharedFile file;
    private ByteArrayInputStream buffer = new ByteArrayInputStream(new byte[0]);
    private long at;

    public SharedFileInput(PostgresFileStore store, RunId run, SharedFile file) {
        this.store = store;
        this.run = run;
        this.file = file;
    }

    @Override
    public int read() throws IOException {
        return fill() ? buffer.read() : -1;
    }

    @Override
    public int read(byte[] into, int from, int most) throws IOException {
        if (most == 0) return 0;
        return fill() ? buffer.read(into, from, most) : -1;
    }

    private boolean fill() throws IOException {
        if (buffer.available() > 0) return true;
        if (at >= file.length()) return false;
        int most = (int) Math.min(CHUNK, file.length() - at);
        var bytes = store.read(run, file.name(), file.version(), at, most)
                .filter(chunk -> chunk.length > 0)
                .orElseThrow(() -> ErrorCode.SHELF_CHANGED.error("%s of %s was replaced.".formatted(file.name(), run)));
        at += bytes.length;
        buffer = new ByteArrayInputStream(bytes);
        return true;
    }
}
