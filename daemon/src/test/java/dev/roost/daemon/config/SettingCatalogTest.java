package dev.roost.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.BadInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** The setting catalog matches the behaviour of the settings. */
class SettingCatalogTest {

    private static final String NODE = "ledger = \"postgresql://roost@db/roost\"\n";

    @TempDir
    Path directory;

    @Test
    void documented_defaults_are_the_effective_ones() throws Exception {
        var nothing = written(NODE);
        var everything = written(NODE + toml(usual()));

        assertThat(usual()).hasSizeGreaterThan(20);
        assertThat(ConfigFile.load(everything)).isEqualTo(ConfigFile.load(nothing));
        assertThat(ConfigFile.surfaces(everything)).isEqualTo(ConfigFile.surfaces(nothing));
    }

    @Test
    void a_variable_overrides_the_file() throws Exception {
        var file = written(NODE + """
                http = "192.0.2.1:7077"
                http_insecure = true
                telemetry.otlp = "http://127.0.0.1:4318"
                """);
        for (var key : usual()) {
            if (!key.variable()) continue;
            var said = new TreeMap<>(file);
            said.put(key.overruledBy().orElseThrow(), "nonsense");
            assertThatThrownBy(() -> {
                        var _ = ConfigFile.load(said);
                        var _ = ConfigFile.surfaces(said);
                    })
                    .as(key.full())
                    .isInstanceOf(BadInput.class)
                    .hasMessageContaining(key.full());
        }
    }

    @Test
    void a_hint_names_a_variable_only_if_it_was_set() throws Exception {
        assertThatThrownBy(() -> ConfigFile.load(written("[pause]\ndeadline = 3.5\n")))
                .isInstanceOfSatisfying(
                        BadInput.class, e -> assertThat(e.hint()).doesNotContain("ROOST_"));
        var environment = new HashMap<>(written("max_live = 1\n"));
        environment.put("ROOST_MAX_LIVE", "0");
        assertThatThrownBy(() -> ConfigFile.load(environment))
                .isInstanceOfSatisfying(
                        BadInput.class, e -> assertThat(e.hint()).contains("ROOST_MAX_LIVE"));
    }

    @Test
    void no_setting_is_listed_twice() {
        assertThat(SettingCatalog.config().stream().map(SettingDefinition::full))
                .doesNotHaveDuplicates();
        assertThat(SettingCatalog.config())
                .allSatisfy(key -> assertThat(key.meaning()).isNotBlank());
    }

    private static List<SettingDefinition> usual() {
        return SettingCatalog.config().stream()
                .filter(key -> key.usual().isPresent())
                .toList();
    }

    private static String toml(List<SettingDefinition> keys) {
        var text = new StringBuilder();
        for (var key : keys)
            text.append("%s = %s\n".formatted(key.full(), key.usual().orElseThrow()));
        return text.toString();
    }

    private Map<String, String> written(String text) throws IOException {
        var place = Files.createTempDirectory(directory, "config");
        Files.createDirectories(place.resolve("roost"));
        Files.writeString(place.resolve("roost/config.toml"), text);
        return Map.of("XDG_CONFIG_HOME", place.toString(), "HOME", directory.toString());
    }
}
