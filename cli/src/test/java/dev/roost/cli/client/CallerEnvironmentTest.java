package dev.roost.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Map;
import org.junit.jupiter.api.Test;

/** An agent gets its caller's locale, not the one that the launcher lent the command. */
class CallerEnvironmentTest {

    @Test
    void what_was_lent_is_given_back() {
        assertThat(CallerEnvironment.of(Map.of("A", "b", "LC_ALL", "C.UTF-8", "ROOST_CALLER_LC_ALL", "")))
                .isEqualTo(Map.of("A", "b"));
        assertThat(CallerEnvironment.of(Map.of("LC_ALL", "C.UTF-8", "ROOST_CALLER_LC_ALL", "de_AT.UTF-8")))
                .isEqualTo(Map.of("LC_ALL", "de_AT.UTF-8"));
    }

    @Test
    void what_was_not_lent_stays() {
        assertThat(CallerEnvironment.of(Map.of("LC_ALL", "de_AT.UTF-8"))).isEqualTo(Map.of("LC_ALL", "de_AT.UTF-8"));
    }
}
