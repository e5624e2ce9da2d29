package dev.roost.cli.demo;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import dev.roost.cli.testing.CliFixture;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import org.junit.jupiter.api.Test;

/** Failures of {@code roost demo}; the tests of the docs cover its success. */
class DemoCommandProcessTest extends CliFixture {

    @Test
    void an_unwritable_temporary_directory_is_reported() throws Exception {
        var words = new ArrayList<>(List.of(
                "unshare",
                "-m",
                "sh",
                "-c",
                "mount --bind /var/tmp /var/tmp && mount -o remount,bind,ro /var/tmp && exec \"$@\"",
                "sh"));
        var command = command("demo");
        command.addAll(1, List.of("-Duser.home=/nowhere", "-Djava.io.tmpdir=/nowhere"));
        words.addAll(command);
        var ran = finish(new ProcessBuilder(words).directory(scratch.toFile()).start(), "");
        assertThat(ran.exit()).isEqualTo(1);
        assertThat(ran.err())
                .contains("The temporary home cannot be created", "Free some space")
                .doesNotContain("\tat ");
    }

    @Test
    void a_failed_demo_leaves_no_files() throws Exception {
        var before = left();
        var ran = coldWith("", Map.of("ROOST_MAX_LIVE", "many"), "demo");
        assertThat(ran.exit()).isEqualTo(4);
        assertThat(ran.err()).contains("ROOST_MAX_LIVE");
        await().atMost(Duration.ofMinutes(1)).until(() -> before.containsAll(left())); // another demo may run meanwhile
    }

    private static Set<Path> left() throws IOException {
        var left = new TreeSet<Path>();
        try (var all = Files.newDirectoryStream(Path.of("/var/tmp"), "roost-demo-*")) {
            all.forEach(left::add);
        }
        return left;
    }
}
