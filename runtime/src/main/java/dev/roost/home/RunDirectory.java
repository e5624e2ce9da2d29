package dev.roost.home;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.List;

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
        if (Files.exists(path, LinkOption.NOFOLLOW_LINKS)) delete(path);
    }

    /** An agent may have left directories there that not even their user can look into. */
    private static void delete(Path file) throws IOException {
        if (Files.isDirectory(file, LinkOption.NOFOLLOW_LINKS)) {
            PrivateFiles.allow(file, PrivateFiles.DIRECTORY);
            List<Path> inside;
            try (var all = Files.list(file)) {
                inside = all.toList();
            }
            for (var one : inside) delete(one);
        }
        Files.delete(file);
    }
}
