package dev.roost.supervisor;

import dev.roost.run.RunId;
import java.io.IOException;
import java.nio.file.FileAlreadyExistsException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;

/**
 * {@code accepting/<run_id>}: there from before a run's directory is made until its row is committed, so that a daemon's start
 * need not look at all directories to find those that never got a row.
 */
public record Accepting(Path directory) {

    public void begin(RunId run) throws IOException {
        try {
            Files.createFile(directory.resolve(run.text()));
        } catch (FileAlreadyExistsException e) {
            // said already
        }
    }

    public void done(RunId run) throws IOException {
        Files.deleteIfExists(directory.resolve(run.text()));
    }

    /** Those that a daemon died over. */
    public List<RunId> left() throws IOException {
        var left = new ArrayList<RunId>();
        try (var all = Files.newDirectoryStream(directory, "r_*")) {
            for (var mark : all) RunId.parse(mark.getFileName().toString()).ifPresent(left::add);
        }
        return left;
    }
}
