package dev.roost.supervisor;

import java.io.IOException;
import java.nio.file.Path;

/** Tells when something in a directory was written. */
public interface FileEvents extends AutoCloseable {

    /** Stops watching when closed. */
    interface Watch extends AutoCloseable {
        @Override
        void close();
    }

    Watch watch(Path directory, Runnable then) throws IOException;

    @Override
    void close();

    /** The quickest means this machine has. */
    static FileEvents open() {
        return Kernel.here().files();
    }
}
