package dev.roost.conformance.agents;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class AgentCliCatalogProcessTest {

    @TempDir
    Path cache;

    @Test
    void a_cli_that_cannot_be_installed_fails_with_its_name_and_npms_message() {
        for (var _ : new String[] {"first", "again"})
            assertThatThrownBy(() -> AgentCliCatalog.command(new Nowhere(), cache))
                    .hasMessageStartingWith("nowhere could not be installed. npm says:")
                    .hasMessageContaining("ENOENT");
    }

    private record Nowhere() implements AgentCli {

        @Override
        public String name() {
            return "nowhere";
        }

        @Override
        public List<String> packages() {
            return List.of("file:./there-is-no-such-package.tgz");
        }

        @Override
        public List<String> command(Path prefix) {
            return List.of("nowhere");
        }

        @Override
        public Map<String, String> environment(Path home, String model) {
            return Map.of();
        }
    }
}
