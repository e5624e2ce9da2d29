package dev.roost.os;

import java.io.IOException;
import java.nio.file.Path;

/** Tells when something in a directory was written. */
public interface FileWatcher extends AutoCloseable {

    /** Stops watching when closed. */
    interface FileWatch extends AutoCloseable {
        @Override
        void close();
    }

    FileWatch watch(Path directory, Runnable then) throws IOException;

    @Override
    void close();

    /** The quickest means this machine has. */
    static FileWatcher open() {
        return Kernel.here().files();
    }
}
