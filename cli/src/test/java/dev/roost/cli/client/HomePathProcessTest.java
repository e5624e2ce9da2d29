package dev.roost.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.testing.CliFixture;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;

/** Where the home is, also where hardly anything is said. */
class HomePathProcessTest extends CliFixture {

    @Test
    void what_is_empty_is_as_good_as_not_set() {
        var usual = Path.of(System.getProperty("user.home"), ".local", "state", "roost");
        assertThat(HomePath.of(Map.of("HOME", "", "ROOST_HOME", "", "XDG_STATE_HOME", "")))
                .isEqualTo(usual);
        assertThat(HomePath.of(Map.of())).isEqualTo(usual);
    }

    @Test
    void where_nobody_says_it_nothing_is_begun_in_whatever_directory_one_happens_to_be() throws Exception {
        var command = command("daemon", "start");
        command.add(1, "-Duser.home=?"); // as Java calls it of a user who is in no list
        var builder = new ProcessBuilder(command).directory(scratch.toFile());
        builder.environment().keySet().removeIf(name -> name.startsWith("ROOST_") || name.startsWith("XDG_"));
        builder.environment().put("HOME", "");
        var ran = finish(builder.start(), "");
        home = scratch.resolve("?/.local/state/roost"); // what is there is stopped
        assertThat(ran.exit()).isEqualTo(4);
        assertThat(ran.err()).contains("HOME is not set, so Roost cannot find your runs.", "Set HOME, or ROOST_HOME.");
        assertThat(scratch).isEmptyDirectory();
    }
}
