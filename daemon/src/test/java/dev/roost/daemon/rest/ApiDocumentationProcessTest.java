package dev.roost.daemon.rest;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.daemon.testing.RestApiFixture;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** The examples of docs/api.md, as they stand. */
class ApiDocumentationProcessTest extends RestApiFixture {

    private static final Pattern EXAMPLE = Pattern.compile("(?s)```sh\n(.*?)```");

    @Test
    void the_examples_of_the_documentation_work() throws Exception {
        var text = Files.readString(Path.of("..", "docs", "api.md"));
        var script = new StringBuilder("set -eu\n");
        EXAMPLE.matcher(text)
                .results()
                .forEach(example -> script.append(example.group(1)).append("echo\n"));
        var file = Files.writeString(scratch.resolve("examples.sh"), script);
        var out = scratch.resolve("examples.out");
        var builder = new ProcessBuilder("bash", file.toString())
                .redirectErrorStream(true)
                .redirectOutput(out.toFile());
        builder.environment().put("ROOST", address());
        builder.environment().put("TOKEN", token("ci:nightly"));
        var process = builder.start();
        assertThat(process.waitFor(60, TimeUnit.SECONDS)).isTrue();
        var said = Files.readString(out);
        assertThat(process.exitValue()).as(said).isZero();
        assertThat(said)
                .doesNotContain("\"error\"")
                .contains(
                        "\"name\":\"greeting\"",
                        "completed\nhello\nbye",
                        "event: output",
                        "event: end",
                        "event: begin",
                        "event: ended",
                        "\"submitted\"");
    }
}
