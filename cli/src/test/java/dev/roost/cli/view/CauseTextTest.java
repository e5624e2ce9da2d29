package dev.roost.cli.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.model.Cause;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The command line knows no other room, so it has the words once more: they must be the same. */
class CauseTextTest {

    @ParameterizedTest
    @EnumSource
    void every_cause_is_said_as_everywhere_else(Cause cause) {
        assertThat(CauseText.of(cause.word())).isEqualTo(cause.inWords());
    }
}
