package dev.roost.home;

import dev.roost.model.RunId;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.FileSystemException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code submitting/<run_id>}: a marker that exists from before a run's directory is created until the run's row is committed.
 * A starting daemon finds directories without a row by the markers, and need not scan all directories.
 */
public record SubmissionMarkers(Path directory) {

    /** Makes a hard link if it can: some filesystems create files slowly after many were removed. */
    public void begin(RunId run) throws IOException {
        var file = directory.resolve(run.text());
        try {
            Files.createLink(file, mark());
        } catch (FileAlreadyExistsException e) {
            // exists already
        } catch (FileSystemException | UnsupportedOperationException e) {
            create(file);
        }
    }

    private Path mark() throws IOException {
        var mark = directory.resolve("mark");
        if (!PrivateFiles.exists(mark)) create(mark);
        return mark;
    }

    private static void create(Path file) throws IOException {
        try {
            Files.createFile(file, PrivateFiles.OWN);
        } catch (FileAlreadyExistsException e) {
            // exists already
        }
    }

    public void clear(RunId run) throws IOException {
        Files.deleteIfExists(directory.resolve(run.text()));
    }

    /** The runs whose submission a daemon's death interrupted. */
    public List<RunId> remaining() throws IOException {
        var runs = new ArrayList<RunId>();
        try (var markers = Files.newDirectoryStream(directory, "r_*")) {
            for (var marker : markers)
                RunId.parse(marker.getFileName().toString()).ifPresent(runs::add);
        }
        return runs;
    }
}
