package dev.roost.base;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.model.RunId;
import java.time.Duration;
import java.time.Instant;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.ValueSource;

class TextFormatTest {

    @ParameterizedTest
    @CsvSource({"500ms,PT0.5S", "30s,PT30S", "5m,PT5M", "2h,PT2H", "1d,PT24H"})
    void a_duration_is_parsed_with_its_unit(String text, Duration duration) {
        assertThat(TextFormat.duration("max_time", text)).isEqualTo(duration);
    }

    @Test
    void a_duration_without_a_unit_is_refused_with_the_possible_meanings() {
        assertThatThrownBy(() -> TextFormat.duration("--timeout", "300"))
                .isInstanceOfSatisfying(BadInput.class, error -> {
                    assertThat(error.code()).isEqualTo("duration_without_unit");
                    assertThat(error.hint()).contains("300s").contains("300m");
                });
    }

    @ParameterizedTest
    @ValueSource(strings = {"", "soon", "-5m", "5 m", "5M", "1.5h", "99999999999s"})
    void an_invalid_duration_is_refused(String text) {
        assertThatThrownBy(() -> TextFormat.duration("max_time", text)).isInstanceOf(BadInput.class);
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "a\0b", "a\nb", "\033[31mred", "r_looks_like_an_id", "-x"})
    void a_name_that_cannot_be_typed_or_shown_is_refused(String name) {
        assertThatThrownBy(() -> TextFormat.name(name))
                .isInstanceOf(BadInput.class)
                .hasMessageNotContaining("\033");
    }

    @Test
    void ids_sort_by_creation_even_within_one_millisecond() {
        var now = Instant.parse("2026-11-15T00:00:00Z");
        var previous = RunId.create(now);
        for (int i = 0; i < 1000; i++) {
            var next = RunId.create(now);
            assertThat(next).isGreaterThan(previous);
            previous = next;
        }
    }
}
