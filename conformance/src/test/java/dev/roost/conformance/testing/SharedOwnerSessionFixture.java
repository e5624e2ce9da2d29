package dev.roost.conformance.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** One stage for all scenes of a class, each with a session of its own. The classes play one after the other. */
public abstract class SharedOwnerSessionFixture {

    @TempDir
    private static Path directory;

    public static OwnerSessionFixture stage;

    public final String session = OwnerSessionFixture.newSession();

    @BeforeAll
    static void open() throws Exception {
        stage = new OwnerSessionFixture(directory);
    }

    @AfterAll
    static void close() {
        stage.close();
    }

    /** What waits for this word goes on. */
    public static void go(String word) throws IOException {
        Files.createFile(stage.user.project().resolve(word));
    }
}
