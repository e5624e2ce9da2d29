package dev.roost.checks;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import javax.tools.ToolProvider;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Runs the check on generated modules, in JVMs of their own. */
class CheckMainTest {

    private static final String CLASS_PATH = System.getProperty("java.class.path");

    @TempDir
    Path root;

    private record Result(int exit, String text) {

        String lastLine() {
            return text.stripTrailing().lines().reduce("", (_, line) -> line);
        }

        /** The titles of the classes in the order of their ends. */
        List<String> order() {
            return Pattern.compile("(?m)^ +\\d+ s +\\d+/\\d+ .* (\\S+)$")
                    .matcher(text)
                    .results()
                    .map(line -> line.group(1))
                    .toList();
        }
    }

    @BeforeEach
    void a_class_that_passes() throws IOException {
        module("one", "PassingTest", """
                @Test void it_holds() {
                    assertEquals(System.getProperty("user.dir"), System.getProperty("basedir"));
                    assertEquals("one", java.nio.file.Path.of("").toAbsolutePath().getFileName().toString());
                }
                @ParameterizedTest @ValueSource(ints = {1, 2, 3}) void for_each(int n) { System.out.println("n is " + n); }
                """);
    }

    private void module(String module, String name, String body) throws IOException {
        module(module, name, body, "");
    }

    /** Compiles a test class of that module. */
    private void module(String module, String name, String body, String tags) throws IOException {
        var target = Files.createDirectories(root.resolve(module, "target"));
        var classes = Files.createDirectories(target.resolve("test-classes"));
        Files.writeString(target.resolve("test.classpath"), CLASS_PATH);
        var source = Files.writeString(root.resolve(name + ".java"), """
                package dev.roost.%s;
                import static org.junit.jupiter.api.Assertions.*;
                import org.junit.jupiter.api.*;
                import org.junit.jupiter.params.ParameterizedTest;
                import org.junit.jupiter.params.provider.ValueSource;
                %s public class %s {
                %s
                }
                """.formatted(module, tags, name, body));
        var compiler = ToolProvider.getSystemJavaCompiler();
        int exit = compiler.run(
                null, null, null, "-proc:none", "-cp", CLASS_PATH, "-d", classes.toString(), source.toString());
        assertThat(exit).isZero();
    }

    private Result check(String... words) throws IOException, InterruptedException {
        var command = new ArrayList<>(List.of(
                Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                "-XX:+UseSerialGC",
                "-XX:TieredStopAtLevel=1"));
        command.addAll(List.of(words));
        var process = new ProcessBuilder(command)
                .directory(root.toFile())
                .redirectErrorStream(true)
                .start();
        var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        return new Result(process.waitFor(), text);
    }

    private Result check() throws IOException, InterruptedException {
        return check("-cp", CLASS_PATH, CheckMain.class.getName());
    }

    @Test
    void all_tests_of_all_modules_are_counted_and_the_last_line_is_the_sum() throws Exception {
        module("two", "OtherTest", "@Nested class Inner { @Test void one() {} }");
        var result = check();
        assertThat(result.exit()).as(result.text()).isZero();
        assertThat(result.lastLine()).isEqualTo("5 passed, 0 failed");
        assertThat(root.resolve("target/check/dev.roost.one.PassingTest.log")).hasContent("n is 1\nn is 2\nn is 3");
    }

    @Test
    void a_failure_is_printed_at_once_with_its_assertion_and_only_own_frames() throws Exception {
        module("two", "BrokenTest", """
                @Nested class Inner { @Test void it_breaks() { assertEquals(1, 2, "sums"); } }
                """);
        var result = check();
        assertThat(result.exit()).isEqualTo(1);
        assertThat(result.text())
                .contains("FAILED  BrokenTest > Inner > it_breaks()\n")
                .contains("sums ==> expected: <1> but was: <2>", "BrokenTest.java:")
                .doesNotContain("at app//org.junit", "at org.junit", "java.base");
        assertThat(result.lastLine()).isEqualTo("4 passed, 1 failed");
    }

    @Test
    void a_class_that_cannot_be_set_up_is_a_failure() throws Exception {
        module("two", "UnreadyTest", """
                @BeforeAll static void fails() { throw new IllegalStateException("no database"); }
                @Test void never() {}
                """);
        var result = check();
        assertThat(result.exit()).isEqualTo(1);
        assertThat(result.text()).contains("FAILED  UnreadyTest > UnreadyTest\n", "no database");
        assertThat(result.lastLine()).isEqualTo("4 passed, 1 failed");
    }

    @Test
    void a_skipped_or_aborted_test_is_a_failure() throws Exception {
        module("two", "LazyTest", """
                @Disabled("later") @Test void skipped() {}
                @Test void aborted() { Assumptions.assumeTrue(false, "not here"); }
                """);
        var result = check();
        assertThat(result.exit()).isEqualTo(1);
        assertThat(result.text())
                .contains("SKIPPED  LazyTest > skipped()\n    later", "SKIPPED  LazyTest > aborted()\n", "not here")
                .contains("2 were skipped; none may be\n4 passed, 0 failed\n");
    }

    @Test
    void a_test_that_ends_its_jvm_is_a_failure_and_the_others_run() throws Exception {
        module("one", "DyingTest", "@Test void it_dies() { Runtime.getRuntime().halt(3); }");
        var result = check();
        assertThat(result.exit()).isEqualTo(1);
        assertThat(result.text()).contains("FAILED  DyingTest > it_dies()\n    its JVM ended, with exit code 3\n");
        assertThat(result.lastLine()).isEqualTo("4 passed, 1 failed");
    }

    @Test
    void a_test_that_hangs_is_a_failure_with_a_thread_dump() throws Exception {
        module("one", "HangingTest", """
                @Test void it_hangs() throws Exception { new java.util.concurrent.CountDownLatch(1).await(); }
                """);
        var result = check("-Dchecks.limit=10", "-cp", CLASS_PATH, CheckMain.class.getName());
        assertThat(result.exit()).isEqualTo(1);
        assertThat(result.text()).contains("FAILED  HangingTest > it_hangs()\n    did not end within 10 s");
        assertThat(root.resolve("target/check/dev.roost.one.HangingTest.log"))
                .content()
                .contains("HangingTest.it_hangs");
        assertThat(result.lastLine()).isEqualTo("4 passed, 1 failed");
    }

    @Test
    void the_longest_class_runs_first_and_exclusive_classes_last() throws Exception {
        module("one", "LongTest", "@Test void one() {}");
        module("one", "LonelyTest", "@Nested class Inner { @Test void one() {} }");
        module("two", "NewTest", "@Test void one() {}");
        module("two", "SoleTest", "@Test void one() {}", "@Tag(\"alone\") @Tag(\"other\")");
        Files.writeString(Files.createDirectories(root.resolve("checks")).resolve("seconds.tsv"), """
                LonelyTest	1
                LongTest	70
                PassingTest	2
                SoleTest	300
                """);
        var result = check("-Dchecks.forks=1", "-cp", CLASS_PATH, CheckMain.class.getName(), "--times");
        assertThat(result.order()).containsExactly("LongTest", "NewTest", "PassingTest", "LonelyTest", "SoleTest");
        assertThat(root.resolve("checks/seconds.tsv"))
                .content()
                .contains("NewTest\t")
                .doesNotContain("300");
    }

    @Test
    void a_full_check_runs_all_portable_tests_a_second_time_with_portable_calls() throws Exception {
        module("two", "KernelTest", """
                String forced() { return System.getenv("ROOST_PORTABLE"); }
                @Tag("portable") @Test void everywhere() {}
                @Tag("portable") @Tag("linux") @Test void here() { assertNull(forced()); }
                @Tag("portable") @Tag("elsewhere") @Test void elsewhere() { assertEquals("1", forced()); }
                @Test void any() { assertNull(forced()); }
                """);
        module("two", "OtherKernelTest", "@Tag(\"portable\") @Test void everywhere() {}");
        var usual = check();
        assertThat(usual.order())
                .contains("KernelTest", "KernelTest@portable")
                .doesNotContain("OtherKernelTest@portable");
        assertThat(usual.lastLine()).isEqualTo((4 + 3 + 2 + 1) + " passed, 0 failed");
        var full = check("-Droost.full=true", "-cp", CLASS_PATH, CheckMain.class.getName());
        assertThat(full.lastLine()).isEqualTo((4 + 3 + 2 + 2) + " passed, 0 failed");
    }

    @Test
    void globs_select_classes_and_an_empty_selection_fails() throws Exception {
        module("two", "OtherTest", "@Test void one() {}");
        assertThat(check("-cp", CLASS_PATH, CheckMain.class.getName(), "Oth*").lastLine())
                .isEqualTo("1 passed, 0 failed");
        var none = check("-cp", CLASS_PATH, CheckMain.class.getName(), "NoSuchTest");
        assertThat(none.exit()).isEqualTo(1);
        assertThat(none.text()).contains("no test ran\n0 passed, 0 failed\n");
    }
}
