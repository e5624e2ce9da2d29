package dev.roost.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

class UmaskTest {

    @Test
    void a_shell_tells_the_same_as_the_kernel() throws Exception {
        assertThat(Umask.byShell()).isPresent().isEqualTo(Umask.byKernel());
    }

    @Test
    void the_shell_is_asked_where_the_switch_says_so() {
        assertThat(Umask.isPortable(Map.of())).isFalse();
        assertThat(Umask.isPortable(Map.of("ROOST_PORTABLE", "1"))).isTrue();
    }
}
