package dev.roost.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class UmaskTest {

    @Test
    void the_shell_and_the_kernel_report_the_same_umask() throws Exception {
        assertThat(Umask.byShell()).isPresent().isEqualTo(Umask.byKernel());
    }

    @Test
    void the_portable_setting_selects_the_shell() {
        assertThat(Umask.isPortable(Map.of())).isFalse();
        assertThat(Umask.isPortable(Map.of("ROOST_PORTABLE", "1"))).isTrue();
    }
}
