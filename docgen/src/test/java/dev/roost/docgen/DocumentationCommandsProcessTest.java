package dev.roost.docgen;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.docgen.testing.DocumentationPage;
import dev.roost.testing.RoostCommandLines;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;
import org.junit.jupiter.api.io.TempDir;

/**
 * Runs the commands of the documentation in a home of their own: each block {@code sh run} in order, and compares the output with
 * the following block {@code output}. Times, ids and durations may differ.
 */
class DocumentationCommandsProcessTest {

    private static final Pattern OF_AGENTS = Pattern.compile("ROOST_|CLAUDE|OPENCODE|CODEX|GEMINI|XDG_|GIT_");

    @TempDir
    Path scratch;

    @TestFactory
    Stream<DynamicTest> commands_of_a_page_print_the_documented_output() {
        var pages = DocumentationPage.all().stream()
                .filter(documentationPage ->
                        documentationPage.blocks().stream().anyMatch(DocumentationCommandsProcessTest::isRun))
                .toList();
        assertThat(pages).hasSizeGreaterThan(3);
        // they mostly wait, so all run concurrently, each with a home of its own
        var playing = pages.stream()
                .map(documentationPage -> threads.submit(() -> play(documentationPage)))
                .toList();
        return IntStream.range(0, pages.size())
                .mapToObj(i -> DynamicTest.dynamicTest(pages.get(i).name(), () -> heard(playing.get(i))));
    }

    private static void heard(Future<?> played) throws Throwable {
        try {
            played.get();
        } catch (ExecutionException e) {
            throw Objects.requireNonNull(e.getCause());
        }
    }

    private final ExecutorService threads = Executors.newFixedThreadPool(3);

    @AfterEach
    void end() {
        threads.close();
    }

    private static boolean isRun(DocumentationPage.Block block) {
        return block.kind().equals("sh") && block.more().equals("run");
    }

    private boolean play(DocumentationPage documentationPage) throws Exception {
        var user = Files.createTempDirectory(scratch, "u");
        RoostCommandLines.roost(user.resolve("bin"));
        Files.createDirectories(user.resolve("work"));
        try {
            var blocks = documentationPage.blocks();
            for (int i = 0; i < blocks.size(); i++) {
                if (!isRun(blocks.get(i))) continue;
                var result = shell(user, blocks.get(i).text());
                assertThat(result.exit)
                        .as("%s printed: %s", blocks.get(i), result.text)
                        .isZero();
                if (i + 1 < blocks.size() && blocks.get(i + 1).kind().equals("output"))
                    assertThat(masked(result.text, user))
                            .as("%s", blocks.get(i))
                            .isEqualTo(masked(blocks.get(i + 1).text(), user));
            }
        } finally {
            shell(user, "roost stop --all; roost daemon stop");
        }
        return true;
    }

    private record Said(int exit, String text) {}

    private static Said shell(Path user, String script) throws IOException, InterruptedException {
        var builder = new ProcessBuilder("sh", "-c", script)
                .directory(user.resolve("work").toFile())
                .redirectErrorStream(true)
                .redirectInput(Path.of("/dev/null").toFile());
        var environment = builder.environment();
        environment.keySet().removeIf(name -> OF_AGENTS.matcher(name).lookingAt());
        environment.put("HOME", user.toString());
        environment.put("LC_ALL", "C.UTF-8");
        environment.put("PATH", user.resolve("bin") + ":" + environment.get("PATH"));
        for (var role : List.of("AUTHOR", "COMMITTER")) {
            environment.put("GIT_%s_NAME".formatted(role), "Alice");
            environment.put("GIT_%s_EMAIL".formatted(role), "alice@example.org");
        }
        var process = builder.start();
        var text = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        return new Said(process.exitValue(), text);
    }

    /** Replaces values that vary by fixed words, on both sides. */
    private static String masked(String text, Path user) {
        return text.replace(user.toString(), "/home/alice")
                .replaceAll("r_[0-9a-z]{8,}", "RUN")
                .replaceAll("\\bn_[0-9]+", "NOTICE")
                .replaceAll("\\bt_[0-9a-z]+", "TOKEN")
                .replaceAll("[0-9]{4}-[0-9]{2}-[0-9]{2}[T ]", "")
                .replaceAll("\\b(Mon|Tue|Wed|Thu|Fri|Sat|Sun)\\b", "DAY")
                .replaceAll("\\b[0-9]{2}:[0-9]{2}(:[0-9]{2})?(\\.[0-9]+)?Z?\\b", "TIME")
                .replaceAll("\\b[0-9]+(\\.[0-9]+)? ?(ms|s|min|m|h)\\b", "SPAN")
                .replaceAll("\\bpid [0-9]+", "pid N")
                .replaceAll("daemon [0-9]+", "daemon N")
                .replaceAll("127.0.0.1:[0-9]+", "ADDRESS")
                .replaceAll("\\bcli:\\w+", "cli:YOU")
                .replaceAll("\\b[0-9a-f]{7,40}\\b", "COMMIT")
                .replaceAll("[ \t]+", " ")
                .replaceAll("(?m) +$", "")
                .strip();
    }
}
