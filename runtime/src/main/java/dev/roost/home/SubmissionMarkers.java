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
 * {@code accepting/<run_id>}: there from before a run's directory is made until its row is committed, so that a daemon's start
 * need not look at all directories to find those that never got a row.
 */
public record SubmissionMarkers(Path directory) {

    /** By a link, where the disk has links: a filesystem is slow to make new files while it remembers many just removed. */
    public void begin(RunId run) throws IOException {
        var file = directory.resolve(run.text());
        try {
            Files.createLink(file, mark());
        } catch (FileAlreadyExistsException e) {
            // said already
        } catch (FileSystemException | UnsupportedOperationException e) {
            make(file);
        }
    }

    private Path mark() throws IOException {
        var mark = directory.resolve("mark");
        if (!PrivateFiles.exists(mark)) make(mark);
        return mark;
    }

    private static void make(Path file) throws IOException {
        try {
            Files.createFile(file, PrivateFiles.OWN);
        } catch (FileAlreadyExistsException e) {
            // said already
        }
    }

    public void clear(RunId run) throws IOException {
        Files.deleteIfExists(directory.resolve(run.text()));
    }

    /** Those that a daemon died over. */
    public List<RunId> remaining() throws IOException {
        var left = new ArrayList<RunId>();
        try (var all = Files.newDirectoryStream(directory, "r_*")) {
            for (var mark : all) RunId.parse(mark.getFileName().toString()).ifPresent(left::add);
        }
        return left;
    }
}
