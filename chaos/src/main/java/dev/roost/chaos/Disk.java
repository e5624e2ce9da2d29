package dev.roost.chaos;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;

/**
 * The home's own filesystem, in memory, which can really be filled. It is shrunk before it is filled, so that little ballast is
 * needed.
 */
final class Disk {

    private static final long SIZE = 1L << 30;

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
                return false; // 16 MB fitted, so it was not shrunk
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
        resize(SIZE);
    }

    private Path ballast() {
        return mount.resolve("ballast");
    }

    /** Names all mount options again, because a user namespace may not be allowed to repeat those of the old mount. */
    private boolean resize(long bytes) {
        String remount = "mount -t tmpfs -o remount,mode=700,size=\"$1\" chaos \"$2\"";
        return Shell.run(Path.of("/"), remount, Long.toString(bytes), mount.toString()) == 0;
    }
}
