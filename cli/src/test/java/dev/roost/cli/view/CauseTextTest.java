package dev.roost.cli.view;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.model.Cause;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/** The CLI's copy of the texts of causes must equal the runtime's. */
class CauseTextTest {

    @ParameterizedTest
    @EnumSource
    void every_cause_has_the_runtimes_text(Cause cause) {
        assertThat(CauseText.of(cause.word())).isEqualTo(cause.inWords());
    }
}
