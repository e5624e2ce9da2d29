package dev.roost.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.testing.CliFixture;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** The path of the home for different environments. */
class HomePathProcessTest extends CliFixture {

    @Test
    void an_empty_variable_counts_as_not_set() {
        var usual = Path.of(System.getProperty("user.home"), ".local", "state", "roost");
        assertThat(HomePath.of(Map.of("HOME", "", "ROOST_HOME", "", "XDG_STATE_HOME", "")))
                .isEqualTo(usual);
        assertThat(HomePath.of(Map.of())).isEqualTo(usual);
    }

    @Test
    void without_any_variable_no_home_is_created_in_the_working_directory() throws Exception {
        var command = command("daemon", "start");
        command.add(1, "-Duser.home=?"); // Java's value for a user without a passwd entry
        var builder = new ProcessBuilder(command).directory(scratch.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("ROOST_") || name.startsWith("XDG_"));
        builder.environment().put("HOME", "");
        var ran = finish(builder.start(), "");
        home = scratch.resolve("?/.local/state/roost"); // a daemon in that directory is stopped too
        assertThat(ran.exit()).isEqualTo(4);
        assertThat(ran.err()).contains("HOME is not set, so Roost cannot find your runs.", "Set HOME, or ROOST_HOME.");
        assertThat(scratch).isEmptyDirectory();
    }
}
