package dev.roost.conformance;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.api.parallel.Execution;
import org.junit.jupiter.api.parallel.ExecutionMode;

/**
 * Every agent through every case, with its real CLI. The quick cases belong to every check; {@code -Droost.full=true} plays
 * them all and writes the table of docs/agents.md. {@code -Droost.subject=claude -Droost.case=success} plays one.
 */
@Execution(ExecutionMode.CONCURRENT) // most of it is waiting for a CLI that tries again
class MatrixTest {

    private static final boolean FULL = Boolean.getBoolean("roost.full");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    static Path directory;

    private static final Matrix MATRIX = new Matrix();

    @TestFactory
    Stream<DynamicTest> every_agent_gets_through() {
        return Stream.of(Subject.values())
                .filter(subject -> chosen("roost.subject", subject.name()))
                .flatMap(subject -> Stream.of(Case.values())
                        .filter(one -> chosen("roost.case", one.name()))
                        .filter(one -> FULL || one.quick(subject) || System.getProperty("roost.case") != null)
                        .filter(one -> one.impossible(subject).isEmpty())
                        .map(one -> DynamicTest.dynamicTest(
                                subject.title() + ": " + one.title(), () -> play(subject, one))));
    }

    private static boolean chosen(String property, String name) {
        return Stream.of(System.getProperty(property, name).split(",")).anyMatch(name::equalsIgnoreCase);
    }

    private static void play(Subject subject, Case one) throws Exception {
        long began = System.nanoTime();
        boolean passed = false;
        try (var stage = new Stage(subject, directory.resolve(subject + "-" + one))) {
            one.play(stage);
            passed = true;
        } finally {
            MATRIX.record(subject, one, passed, (System.nanoTime() - began) / 1e9);
        }
    }

    @AfterAll
    static void write() throws Exception {
        if (FULL && System.getProperty("roost.subject") == null && System.getProperty("roost.case") == null)
            MATRIX.write(Path.of("..", "docs", "agents.md"));
        System.out.println(MATRIX.table());
    }
}
