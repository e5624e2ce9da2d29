package dev.roost.os;

import java.io.IOException;
import java.nio.file.Path;

/** Notifies of writes in directories. */
public interface FileWatcher extends AutoCloseable {

    /** Stops watching when closed. */
    interface FileWatch extends AutoCloseable {
        @Override
        void close();
    }

    FileWatch watch(Path directory, Runnable then) throws IOException;

    @Override
    void close();

    /** The fastest implementation on this machine. */
    static FileWatcher open() {
        return Kernel.here().files();
    }
}
