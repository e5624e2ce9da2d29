package dev.roost.daemon.config;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.BadInput;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Whether the daemon listens for sleep is the operator's to say. */
class SleepSettingTest {

    @TempDir
    Path scratch;

    private boolean listens(String text) throws IOException {
        Files.createDirectories(scratch.resolve("roost"));
        Files.writeString(scratch.resolve("roost/config.toml"), text);
        return ConfigFile.surfaces(Map.of("XDG_CONFIG_HOME", scratch.toString()))
                .sleepSignals();
    }

    @Test
    void it_listens_unless_turned_off() throws IOException {
        assertThat(listens("")).isTrue();
        assertThat(listens("sleep_signals = 'on'")).isTrue();
        assertThat(listens("sleep_signals = 'off'")).isFalse();
        assertThatThrownBy(() -> listens("sleep_signals = 'never'"))
                .isInstanceOfSatisfying(
                        BadInput.class, e -> assertThat(e.sentence() + e.hint()).contains("sleep_signals", "on, off"));
    }
}
