package dev.roost.conformance.testing;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.io.TempDir;

/** One fixture for all tests of a class, each with its own session. The classes run one after the other. */
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

    /** Releases the steps that wait for this word. */
    public static void go(String word) throws IOException {
        Files.createFile(stage.user.project().resolve(word));
    }
}
