package dev.roost.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What {@code ./build dist} made. */
final class Dist {

    private Dist() {}

    /** The file of that name, a regular expression. */
    static Path file(String name) throws IOException {
        try (var all = Files.list(Path.of(System.getProperty("roost.dist")))) {
            return all.filter(file -> file.getFileName().toString().matches(name))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
