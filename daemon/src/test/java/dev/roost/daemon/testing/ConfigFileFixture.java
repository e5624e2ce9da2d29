package dev.roost.daemon.testing;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.BadInput;
import dev.roost.config.EngineConfig;
import dev.roost.daemon.config.ConfigFile;
import dev.roost.daemon.config.DaemonSettings;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.Map;
import org.junit.jupiter.api.io.TempDir;

/** A user's config.toml, and an environment in which it is found. */
public abstract class ConfigFileFixture {

    @TempDir
    public Path scratch;

    public EngineConfig load(String text, Map<String, String> environment) {
        try {
            Files.createDirectories(scratch.resolve("roost"));
            Files.writeString(scratch.resolve("roost/config.toml"), text);
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        return ConfigFile.load(environment(environment));
    }

    public Map<String, String> environment(Map<String, String> some) {
        var all = new HashMap<>(some);
        all.put("XDG_CONFIG_HOME", scratch.toString());
        return all;
    }

    public DaemonSettings surfaces(String text, Map<String, String> environment) {
        load(text, Map.of());
        return ConfigFile.surfaces(environment(environment));
    }

    public void refused(String text, String... says) {
        assertThatThrownBy(() -> load(text, Map.of()))
                .isInstanceOfSatisfying(
                        BadInput.class,
                        e -> assertThat(e.sentence() + " " + e.hint())
                                .contains(says)
                                .contains("config.toml"));
    }
}
