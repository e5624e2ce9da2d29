package dev.roost.cli.bridge;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.cli.testing.CliFixture;
import java.io.IOException;
import org.junit.jupiter.api.Test;

/** The hot paths, which load next to nothing. */
class BridgeMainProcessTest extends CliFixture {

    /** With the CLI's own classes alone: what else they would need at run time is not there. */
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
    void a_hook_neither_speaks_nor_fails_whether_there_is_a_daemon_or_not() throws IOException {
        var input = "{\"session_id\": \"5f0c\", \"text\": \"a \\\"quoted\\\"\nline\tand a \u0001 and ü\"}";
        assertThat(bridge(input, "hook", "claude-code", "Stop")).isEqualTo(new Ran(0, "", ""));
        assertThat(home).as("a hook starts nothing").doesNotExist();
        roost("daemon", "start").ok();
        assertThat(bridge(input, "hook", "claude-code", "Stop")).isEqualTo(new Ran(0, "", ""));
        assertThat(home.resolve("logs/daemon.0.log")).content().doesNotContain("ERROR");
    }

    @Test
    void the_socket_is_there_as_a_pipe() throws IOException {
        assertThat(bridge("", "socket").exit()).isEqualTo(4);
        roost("daemon", "start").ok();
        var ran = bridge("{\"id\":7,\"method\":\"status\"}\n", "socket").ok();
        assertThat(ran.json().path("id").asInt()).isEqualTo(7);
        assertThat(ran.json().path("result").path("home").asString()).isEqualTo(home.toString());
    }

    @Test
    void anything_else_is_wrong_usage() throws IOException {
        assertThat(bridge("", "socket", "now").exit()).isEqualTo(2);
        assertThat(bridge("", "hook", "claude-code").exit())
                .as("2 would keep a harness from going on")
                .isEqualTo(1);
    }
}
