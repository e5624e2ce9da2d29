package dev.roost.conformance;

import dev.roost.conformance.agents.ConformanceAgent;
import dev.roost.conformance.testing.ConformanceCase;
import dev.roost.conformance.testing.ConformanceMatrix;
import dev.roost.conformance.testing.SingleAgentFixture;
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
 * Runs every case with every agent and its real CLI. A usual check runs the quick cases; {@code -Droost.full=true} runs all and
 * writes the table of docs/agents.md. {@code -Droost.subject=claude -Droost.case=success} runs one.
 */
@Execution(ExecutionMode.CONCURRENT) // most time is waiting for retries of a CLI
class ConformanceMatrixProcessTest {

    private static final boolean FULL = Boolean.getBoolean("roost.full");

    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    static Path directory;

    private static final ConformanceMatrix MATRIX = new ConformanceMatrix();

    @TestFactory
    Stream<DynamicTest> every_agent_gets_through() {
        return Stream.of(ConformanceAgent.values())
                .filter(conformanceAgent -> chosen("roost.subject", conformanceAgent.name()))
                .flatMap(conformanceAgent -> Stream.of(ConformanceCase.values())
                        .filter(one -> chosen("roost.case", one.name()))
                        .filter(one -> FULL || one.quick(conformanceAgent) || System.getProperty("roost.case") != null)
                        .filter(one -> one.impossible(conformanceAgent).isEmpty())
                        .map(one -> DynamicTest.dynamicTest(
                                conformanceAgent.title() + ": " + one.title(), () -> play(conformanceAgent, one))));
    }

    private static boolean chosen(String property, String name) {
        return Stream.of(System.getProperty(property, name).split(",")).anyMatch(name::equalsIgnoreCase);
    }

    private static void play(ConformanceAgent conformanceAgent, ConformanceCase one) throws Exception {
        long began = System.nanoTime();
        boolean passed = false;
        try (var singleAgentFixture =
                new SingleAgentFixture(conformanceAgent, directory.resolve(conformanceAgent + "-" + one))) {
            one.play(singleAgentFixture);
            passed = true;
        } finally {
            MATRIX.record(conformanceAgent, one, passed, (System.nanoTime() - began) / 1e9);
        }
    }

    @AfterAll
    static void write() throws Exception {
        if (FULL && System.getProperty("roost.subject") == null && System.getProperty("roost.case") == null)
            MATRIX.write(Path.of("..", "docs", "agents.md"));
        System.out.println(MATRIX.table());
    }
}
