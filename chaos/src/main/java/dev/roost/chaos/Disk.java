package dev.roost.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The home's own filesystem, in memory, which can be filled for real. It is made small before it is filled, so that the ballast is
 * small too.
 */
final class Disk {

    private static final long ROOM = 1L << 30;

    private final Path mount;

    Disk(Path mount) {
        this.mount = mount;
    }

    /** Whether it can be filled and emptied. */
    boolean works() {
        boolean full = fill();
        free();
        return full;
    }

    boolean fill() {
        try {
            var store = Files.getFileStore(mount);
            long used = store.getTotalSpace() - store.getUnallocatedSpace();
            if (!resize(used + (256 << 10))) return false;
            try (var out = Files.newOutputStream(ballast())) {
                byte[] block = new byte[4096];
                for (int i = 0; i < 4096; i++) out.write(block);
                return false; // sixteen megabytes of room: it was not made small
            }
        } catch (IOException e) {
            return String.valueOf(e.getMessage()).contains("space");
        }
    }

    void free() {
        try {
            Files.deleteIfExists(ballast());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        resize(ROOM);
    }

    private Path ballast() {
        return mount.resolve("ballast");
    }

    /** With everything named anew: what else the old mount said may not be sayable in a user namespace. */
    private boolean resize(long bytes) {
        String remount = "mount -t tmpfs -o remount,mode=700,size=\"$1\" chaos \"$2\"";
        return Shell.run(Path.of("/"), remount, Long.toString(bytes), mount.toString()) == 0;
    }
}
