package dev.roost.os;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.model.RunId;
import dev.roost.process.ProcessTree;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;
import java.util.concurrent.Executors;
import java.util.concurrent.atomic.AtomicBoolean;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Reads of /proc are complete. */
@Tag("portable")
class ProcFsProcessTest {

    @Tag("linux")
    @Test
    void a_kernel_setting_is_read_completely() throws Exception {
        var cat = new ProcessBuilder("cat", "/proc/sys/fs/inotify/max_user_watches").start();
        var expected = new String(cat.getInputStream().readAllBytes(), StandardCharsets.UTF_8).strip();
        assertThat(LinuxKernel.setting(Path.of("/proc/sys/fs/inotify/max_user_watches")))
                .isEqualTo(expected);
        assertThat(MachineLimits.fileWatchesLimit()).isEqualTo(Long.parseLong(expected));
        assertThat(Processes.bootId()).hasSize(36);
    }

    @Test
    void a_child_between_fork_and_exec_does_not_count_as_a_writer_of_a_run(@TempDir Path directory) throws Exception {
        var tree = new ProcessTree(RunId.create(Instant.EPOCH), 1, directory, Optional.empty());
        var done = new AtomicBoolean();
        try (var _ = Files.newOutputStream(directory.resolve("output.md"));
                var killing = Executors.newSingleThreadExecutor()) {
            killing.execute(() -> {
                while (!done.get()) tree.members();
            });
            try {
                for (int i = 0; i < 200; i++) {
                    new ProcessBuilder("true")
                            .start()
                            .waitFor(); // between fork and exec it has all open files of this process
                }
            } finally {
                done.set(true);
            }
        }
        assertThat(directory.resolve("seen")).doesNotExist();
    }
}
