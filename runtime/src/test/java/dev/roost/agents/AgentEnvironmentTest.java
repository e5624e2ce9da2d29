package dev.roost.agents;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** On another machine, path variables are that machine's, and all others are the run's. */
class AgentEnvironmentTest {

    @Test
    void path_variables_come_from_the_machine_and_the_rest_from_the_run() {
        var run = Map.of(
                "HOME", "/home/ada",
                "PATH", "/home/ada/bin:/bin",
                "CODEX_HOME", "/home/ada/codex",
                "XDG_DATA_HOME", "/home/ada/data",
                "API_KEY", "secret",
                "LANG", "C.UTF-8");
        var machine = Map.of("HOME", "/Users/ada", "PATH", "/opt/bin:/bin", "XDG_STATE_HOME", "/var/s", "LANG", "de");

        assertThat(AgentEnvironment.forOtherMachine(run, machine))
                .isEqualTo(Map.of(
                        "HOME", "/Users/ada",
                        "PATH", "/opt/bin:/bin",
                        "XDG_STATE_HOME", "/var/s",
                        "API_KEY", "secret",
                        "LANG", "C.UTF-8"));
    }
}
