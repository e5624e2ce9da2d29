package dev.roost.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** Finds the end of the complete lines of a file that is being written. */
final class CompleteLines {

    private static final int STEP = 1 << 16;

    private CompleteLines() {}

    /** The position after the last newline. */
    static long end(FileChannel file) throws IOException {
        for (long to = file.size(); to > 0; ) {
            long from = Math.max(0, to - STEP);
            var bytes = ByteBuffer.allocate((int) (to - from));
            while (bytes.hasRemaining() && file.read(bytes, from + bytes.position()) >= 0) {
                // until the buffer is full, or the file has become shorter
            }
            for (int i = bytes.position() - 1; i >= 0; i--) if (bytes.get(i) == '\n') return from + i + 1;
            to = from;
        }
        return 0;
    }
}
