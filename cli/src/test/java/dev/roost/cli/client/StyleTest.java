package dev.roost.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** What others wrote steers no terminal. */
class StyleTest {

    @ParameterizedTest
    @ValueSource(chars = {'\u001b', '\u007f', '\u009b', '\u0085', '\u202e', '\u2066', '\u2028', '\u2029', '\r'})
    void what_would_be_obeyed_is_not_printed(char c) {
        assertThat(Style.safe("a" + c + "b")).isEqualTo("a\ufffdb");
        assertThat(Style.visible("a" + c + "b")).isEqualTo("a\\u%04xb".formatted((int) c));
    }

    @Test
    void what_is_only_text_stays_as_it_is() {
        var text = "a\tb\nÜ 日本 👩\u200d💻 e\u0301";
        assertThat(Style.safe(text)).isEqualTo(text);
    }
}
