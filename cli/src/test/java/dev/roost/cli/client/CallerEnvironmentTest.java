package dev.roost.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** An agent gets its caller's locale, not the one that the launcher sets for the command. */
class CallerEnvironmentTest {

    @Test
    void the_callers_locale_is_restored() {
        assertThat(CallerEnvironment.of(Map.of("A", "b", "LC_ALL", "C.UTF-8", "ROOST_CALLER_LC_ALL", "")))
                .isEqualTo(Map.of("A", "b"));
        assertThat(CallerEnvironment.of(Map.of("LC_ALL", "C.UTF-8", "ROOST_CALLER_LC_ALL", "de_AT.UTF-8")))
                .isEqualTo(Map.of("LC_ALL", "de_AT.UTF-8"));
    }

    @Test
    void a_locale_that_the_launcher_did_not_set_is_kept() {
        assertThat(CallerEnvironment.of(Map.of("LC_ALL", "de_AT.UTF-8"))).isEqualTo(Map.of("LC_ALL", "de_AT.UTF-8"));
    }
}
