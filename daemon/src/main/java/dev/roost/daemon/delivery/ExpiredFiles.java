package dev.roost.daemon.delivery;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.time.Duration;
import java.time.Instant;

/** Files of sessions that accumulate and are deleted after a while. */
record ExpiredFiles(Path directory, String pattern) {

    static final Duration KEPT = Duration.ofDays(30);

    private static final System.Logger LOG = System.getLogger(ExpiredFiles.class.getName());

    /** Deletes files that were last written before this time. */
    void remove(Instant before) {
        if (!Files.isDirectory(directory, LinkOption.NOFOLLOW_LINKS)) return;
        try (var files = Files.newDirectoryStream(directory, pattern)) {
            for (var file : files) {
                var written = Files.getLastModifiedTime(file, LinkOption.NOFOLLOW_LINKS);
                if (written.toInstant().isBefore(before)) Files.deleteIfExists(file);
            }
        } catch (IOException e) {
            LOG.log(System.Logger.Level.WARNING, "old files in {0} could not be deleted: {1}", directory, e);
        }
    }
}
