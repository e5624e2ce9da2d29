package dev.roost.conformance.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** What {@code ./build dist} made. */
public final class Distribution {

    private Distribution() {}

    /** The file of that name, a regular expression. */
    public static Path file(String name) throws IOException {
        try (var all = Files.list(Path.of(System.getProperty("roost.dist")))) {
            return all.filter(file -> file.getFileName().toString().matches(name))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
