package dev.roost.cli.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.testing.CliFixture;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The bridges, started with few classes. */
class BridgeMainProcessTest extends CliFixture {

    /** Starts a bridge with only the CLI's classes on the class path. */
    private Ran bridge(String input, String... words) throws IOException {
        var command = bridgeCommand(words);
        int classPath = command.indexOf("-cp") + 1;
        if (!command.get(classPath).endsWith("/cli.jar"))
            command.set(
                    classPath,
                    BridgeMain.class
                            .getProtectionDomain()
                            .getCodeSource()
                            .getLocation()
                            .getPath());
        var builder = new ProcessBuilder(command);
        builder.environment().put("ROOST_HOME", home.toString());
        return finish(builder.start(), input);
    }

    @Test
    void a_hook_prints_nothing_and_succeeds_with_and_without_a_daemon() throws IOException {
        var input = "{\"session_id\": \"5f0c\", \"text\": \"a \\\"quoted\\\"\nline\tand a \u0001 and ü\"}";
        assertThat(bridge(input, "hook", "claude-code", "Stop")).isEqualTo(new Ran(0, "", ""));
        assertThat(home).as("a hook starts no daemon").doesNotExist();
        roost("daemon", "start").ok();
        assertThat(bridge(input, "hook", "claude-code", "Stop")).isEqualTo(new Ran(0, "", ""));
        assertThat(home.resolve("logs/daemon.0.log")).content().doesNotContain("ERROR");
    }

    @Test
    void socket_connects_the_pipe_to_the_daemon() throws IOException {
        assertThat(bridge("", "socket").exit()).isEqualTo(4);
        roost("daemon", "start").ok();
        var ran = bridge("{\"id\":7,\"method\":\"status\"}\n", "socket").ok();
        assertThat(ran.json().path("id").asInt()).isEqualTo(7);
        assertThat(ran.json().path("result").path("home").asString()).isEqualTo(home.toString());
    }

    @Test
    void other_arguments_are_a_usage_error() throws IOException {
        assertThat(bridge("", "socket", "now").exit()).isEqualTo(2);
        assertThat(bridge("", "hook", "claude-code").exit())
                .as("2 would block the harness")
                .isEqualTo(1);
    }
}
