package dev.roost.cli.client;

import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.OutputStream;

/** Standard output that remembers the cause of a failed write, which a print stream drops. */
public final class StandardOutput extends OutputStream {

    private static final OutputStream OUT = new FileOutputStream(FileDescriptor.out);
    private static volatile boolean brokenPipe;

    /** Whether the reader closed the pipe, as head does: not an error. */
    static boolean brokenPipe() {
        return brokenPipe;
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
            brokenPipe = "Broken pipe".equals(e.getMessage());
            throw e;
        }
    }
}
