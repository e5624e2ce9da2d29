package dev.roost.conformance;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** One stage for all scenes of a class, each with a session of its own. The classes play one after the other. */
abstract class OneStage {

    @TempDir
    private static Path directory;

    static ParentStage stage;

    final String session = ParentStage.newSession();

    @BeforeAll
    static void open() throws Exception {
        stage = new ParentStage(directory);
    }

    @AfterAll
    static void close() {
        stage.close();
    }

    /** What waits for this word goes on. */
    static void go(String word) throws IOException {
        Files.createFile(stage.user.project().resolve(word));
    }
}
