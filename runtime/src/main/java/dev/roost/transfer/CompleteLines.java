package dev.roost.transfer;

import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.channels.FileChannel;

/** How far a file that grows by lines can be read. */
final class CompleteLines {

    private static final int STEP = 1 << 16;

    private CompleteLines() {}

    /** Just after its last newline. */
    static long end(FileChannel file) throws IOException {
        for (long to = file.size(); to > 0; ) {
            long from = Math.max(0, to - STEP);
            var bytes = ByteBuffer.allocate((int) (to - from));
            while (bytes.hasRemaining() && file.read(bytes, from + bytes.position()) >= 0) {
                // until full, or the file is shorter than it was
            }
            for (int i = bytes.position() - 1; i >= 0; i--) if (bytes.get(i) == '\n') return from + i + 1;
            to = from;
        }
        return 0;
    }
}
