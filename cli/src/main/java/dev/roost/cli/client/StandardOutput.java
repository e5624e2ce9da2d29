package dev.roost.cli.client;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Standard output that remembers why it could not be written: a print stream only says that it could not. */
public final class StandardOutput extends OutputStream {

    private static final OutputStream OUT = new FileOutputStream(FileDescriptor.out);
    private static volatile boolean readerWent;

    /** Whether its reader has seen enough and went, as head does: no mistake, and nobody to tell. */
    static boolean readerWent() {
        return readerWent;
    }

    @Override
    public void write(int b) throws IOException {
        write(new byte[] {(byte) b}, 0, 1);
    }

    @Override
    public void write(byte[] bytes, int offset, int length) throws IOException {
        try {
            OUT.write(bytes, offset, length);
        } catch (IOException e) {
            readerWent = "Broken pipe".equals(e.getMessage());
            throw e;
        }
    }
}
