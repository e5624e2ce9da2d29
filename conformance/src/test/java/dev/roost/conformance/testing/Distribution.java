package dev.roost.conformance.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The files of {@code ./build dist}. */
public final class Distribution {

    private Distribution() {}

    /** The file whose name matches the regular expression. */
    public static Path file(String name) throws IOException {
        try (var all = Files.list(Path.of(System.getProperty("roost.dist")))) {
            return all.filter(file -> file.getFileName().toString().matches(name))
                    .findFirst()
                    .orElseThrow();
        }
    }
}
