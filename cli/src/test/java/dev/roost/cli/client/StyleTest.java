package dev.roost.cli.client;

import static org.assertj.core.api.Assertions.assertThat;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Agents' text cannot control the terminal. */
class StyleTest {

    @ParameterizedTest
    @ValueSource(chars = {'\u001b', '\u007f', '\u009b', '\u0085', '\u202e', '\u2066', '\u2028', '\u2029', '\r'})
    void control_characters_are_not_printed(char c) {
        assertThat(Style.safe("a" + c + "b")).isEqualTo("a\ufffdb");
        assertThat(Style.visible("a" + c + "b")).isEqualTo("a\\u%04xb".formatted((int) c));
    }

    @Test
    void plain_text_is_unchanged() {
        var text = "a\tb\nÜ 日本 👩\u200d💻 e\u0301";
        assertThat(Style.safe(text)).isEqualTo(text);
    }
}
