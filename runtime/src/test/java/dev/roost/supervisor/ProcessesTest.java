package dev.roost.supervisor;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import org.junit.jupiter.api.Test;

/** What /proc says, read whole. */
class ProcessesTest {

    @Test
    void a_setting_of_the_kernel_is_read_whole() throws Exception {
        var cat = new ProcessBuilder("cat", "/proc/sys/fs/inotify/max_user_watches").start();
        var told = new String(cat.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(Processes.setting(Path.of("/proc/sys/fs/inotify/max_user_watches")))
                .isEqualTo(told);
        assertThat(Machine.fileWatchesLimit()).isEqualTo(Long.parseLong(told));
        assertThat(Processes.bootId()).hasSize(36);
    }
}
