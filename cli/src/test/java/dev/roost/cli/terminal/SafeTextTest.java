package dev.roost.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import java.util.regex.Pattern;
import org.junit.jupiter.api.Test;

/** An agent's text may have colours and no other control sequences. */
class SafeTextTest {

    private static final Pattern COLOUR = Pattern.compile("\033\\[[0-9;]*m");

    @Test
    void colours_are_kept_and_other_control_characters_are_made_visible() {
        assertThat(SafeText.safe("\033[1;31mred\033[0m", true)).isEqualTo("\033[1;31mred\033[0m");
        assertThat(SafeText.safe("\033[1;31mred\033[0m", false)).isEqualTo("red");
        assertThat(SafeText.safe("\033]0;title\007", true)).isEqualTo("␛]0;title␇");
        assertThat(SafeText.safe("\033[2J\033[H\033[?1049l\033c", true)).isEqualTo("␛[2J␛[H␛[?1049l␛c");
        assertThat(SafeText.safe("a\u009b2Jb\u202ec", true)).isEqualTo("a�2Jb�c");
        assertThat(SafeText.safe("\033[>4;1m\033[?1m", true)).isEqualTo("␛[>4;1m␛[?1m");
        assertThat(SafeText.safe("\ud800", true)).isEqualTo("�");
    }

    @Test
    void random_text_never_controls_the_terminal_and_no_row_is_too_wide() {
        var random = new Random(7);
        var pieces = new String[] {
            "\033[",
            "31",
            "m",
            ";",
            "\033",
            "]0;",
            "\007",
            "\r",
            "\t",
            "日",
            "e\u0301",
            "👩\u200d💻",
            "x",
            "\u009b",
            "\u202e"
        };
        for (int i = 0; i < 20_000; i++) {
            var text = new StringBuilder();
            for (int n = random.nextInt(30); n > 0; n--) text.append(pieces[random.nextInt(pieces.length)]);
            int columns = 2 + random.nextInt(20);
            for (var row : SafeText.wrap(SafeText.safe(text.toString(), true), columns)) {
                var shown = COLOUR.matcher(row).replaceAll("");
                assertThat(shown.chars().noneMatch(Character::isISOControl))
                        .as(shown)
                        .isTrue();
                assertThat(DisplayWidth.of(shown)).isLessThanOrEqualTo(columns);
            }
            assertThat(SafeText.width(SafeText.fit(SafeText.safe(text.toString(), true), columns)))
                    .isLessThanOrEqualTo(columns);
        }
    }

    @Test
    void each_row_sets_and_resets_its_colours() {
        assertThat(SafeText.wrap("\033[31mabcd", 2)).containsExactly("\033[31mab\033[0m", "\033[31mcd\033[0m");
        assertThat(SafeText.wrap("", 5)).containsExactly("");
        assertThat(SafeText.wrap("日本語", 4)).containsExactly("日本", "語");
        assertThat(SafeText.fit("\033[31mabcdef\033[0m", 4)).isEqualTo("\033[31mabc…\033[0m");
        assertThat(SafeText.fit("日本語", 4)).isEqualTo("日…");
        assertThat(SafeText.reverse("a\033[31mb\033[0mc")).isEqualTo("\033[7ma\033[31mb\033[0;7mc\033[0m");
    }

    @Test
    void the_last_state_of_a_progress_bar_is_shown_and_tabs_are_expanded() {
        assertThat(SafeText.safe("10%\r20%\r30%", true)).isEqualTo("␍30%");
        assertThat(SafeText.safe("whole\r", true)).isEqualTo("whole");
        assertThat(SafeText.safe("a\tb", true)).isEqualTo("a       b");
        assertThat(SafeText.safe("日\tb", true)).isEqualTo("日      b");
    }

    @Test
    void widths_match_those_of_a_terminal() {
        assertThat(DisplayWidth.of("abc")).isEqualTo(3);
        assertThat(DisplayWidth.of("日本語")).isEqualTo(6);
        assertThat(DisplayWidth.of("한국어")).isEqualTo(6);
        assertThat(DisplayWidth.of("ｆｕｌｌ")).isEqualTo(8);
        assertThat(DisplayWidth.of("e\u0301")).isEqualTo(1);
        assertThat(DisplayWidth.of("🚀")).isEqualTo(2);
        assertThat(DisplayWidth.of("✓ ▸ │ … ›")).isEqualTo(9);
        assertThat(DisplayWidth.of("äöüß")).isEqualTo(4);
    }
}
