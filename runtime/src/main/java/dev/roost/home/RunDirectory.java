package dev.roost.home;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

/** {@code runs/<run_id>/}: the files of one run. */
public record RunDirectory(Path path) {

    /** The readable output. The file exists from the submission on. */
    public Path output() {
        return path.resolve("output.md");
    }

    /** The events of the conversation, one JSON object for each line. */
    public Path transcript() {
        return path.resolve("transcript.jsonl");
    }

    public AttemptDirectory attempt(int n) {
        return new AttemptDirectory(path.resolve(Integer.toString(n)));
    }

    public void create() throws IOException {
        Home.privateDirectory(path);
        if (!Files.exists(output(), LinkOption.NOFOLLOW_LINKS)) {
            Files.newByteChannel(output(), PrivateFiles.options(StandardOpenOption.CREATE_NEW), PrivateFiles.OWN)
                    .close();
        }
    }

    public void delete() throws IOException {
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) delete(path);
    }

    /** Restores the permissions of directories that the agent has made unreadable for its user. */
    private static void delete(Path file) throws IOException {
        if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
            PrivateFiles.allow(file, PrivateFiles.DIRECTORY);
            List<Path> children;
            try (var entries = Files.list(file)) {
                children = entries.toList();
            }
            for (var child : children) delete(child);
        }
        Files.delete(file);
    }
}
