package dev.roost.supervisor;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.Comparator;

/** {@code runs/<run_id>/}: the files of one run. */
public record RunDirectory(Path path) {

    /** The readable output, there from the moment the run is accepted. */
    public Path output() {
        return path.resolve("output.md");
    }

    /** What was said and done, one JSON object a line. */
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
        if (!Files.exists(path, LinkOption.NOFOLLOW_LINKS)) return;
        try (var all = Files.walk(path)) {
            for (var one : all.sorted(Comparator.reverseOrder()).toList()) Files.delete(one);
        }
    }
}
