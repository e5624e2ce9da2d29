package dev.roost.cli.terminal;

import static org.assertj.core.api.Assertions.assertThat;

import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.Test;

/** Decoding of keys from bytes, and editing of a line. */
class KeyDecoderTest {

    private static final String EVERYTHING =
            "aü日🚀\033[A\033OB\033[5~\033[1;5C\r\177\t\003\033[200~two\r\nlines \033[31m\033[201~z\033[3~";

    private static List<KeyPress> keys(String... chunks) {
        var decoder = new KeyDecoder();
        var keys = new ArrayList<KeyPress>();
        for (var chunk : chunks) keys.addAll(decoder.keys(chunk.getBytes(StandardCharsets.UTF_8)));
        return keys;
    }

    @Test
    void bytes_are_decoded_to_keys() {
        assertThat(keys(EVERYTHING))
                .containsExactly(
                        KeyPress.typed("a"),
                        KeyPress.typed("ü"),
                        KeyPress.typed("日"),
                        KeyPress.typed("🚀"),
                        KeyPress.of(KeyPress.Kind.UP),
                        KeyPress.of(KeyPress.Kind.DOWN),
                        KeyPress.of(KeyPress.Kind.PAGE_UP),
                        KeyPress.of(KeyPress.Kind.RIGHT),
                        KeyPress.of(KeyPress.Kind.ENTER),
                        KeyPress.of(KeyPress.Kind.BACKSPACE),
                        KeyPress.of(KeyPress.Kind.TAB),
                        KeyPress.ctrl('c'),
                        new KeyPress(KeyPress.Kind.PASTE, "two\r\nlines \033[31m"),
                        KeyPress.typed("z"),
                        KeyPress.of(KeyPress.Kind.DELETE));
    }

    @Test
    void decoding_does_not_depend_on_the_boundaries_of_reads() {
        var whole = keys(EVERYTHING);
        var bytes = EVERYTHING.getBytes(StandardCharsets.UTF_8);
        for (int cut = 0; cut <= bytes.length; cut++) {
            var decoder = new KeyDecoder();
            var keys = new ArrayList<>(decoder.keys(java.util.Arrays.copyOf(bytes, cut)));
            keys.addAll(decoder.keys(java.util.Arrays.copyOfRange(bytes, cut, bytes.length)));
            assertThat(keys).as("cut at %d", cut).isEqualTo(whole);
        }
        var decoder = new KeyDecoder();
        var oneByOne = new ArrayList<KeyPress>();
        for (byte one : bytes) oneByOne.addAll(decoder.keys(new byte[] {one}));
        assertThat(oneByOne).isEqualTo(whole);
    }

    @Test
    void a_single_escape_byte_is_the_escape_key() {
        var decoder = new KeyDecoder();
        assertThat(decoder.keys(new byte[] {27})).isEmpty();
        assertThat(decoder.waits()).isTrue();
        assertThat(decoder.giveUp()).containsExactly(KeyPress.of(KeyPress.Kind.ESCAPE));
        assertThat(decoder.waits()).isFalse();
        assertThat(keys("\033\033[A"))
                .containsExactly(KeyPress.of(KeyPress.Kind.ESCAPE), KeyPress.of(KeyPress.Kind.UP));
        assertThat(keys("\033x")).containsExactly(KeyPress.of(KeyPress.Kind.UNKNOWN));
        assertThat(keys("\033[\001q")).endsWith(KeyPress.ctrl('a'), KeyPress.typed("q"));
    }

    private static LineEditor typed(String... chunks) {
        var line = LineEditor.empty();
        for (var key : keys(chunks)) line = line.on(key);
        return line;
    }

    @Test
    void a_line_is_edited_as_in_a_shell() {
        assertThat(typed("abc\033[D\033[DX").text()).isEqualTo("aXbc");
        assertThat(typed("日本e\u0301\177").text()).isEqualTo("日本");
        assertThat(typed("🚀🚀\177").text()).isEqualTo("🚀");
        assertThat(typed("one two\027").text()).isEqualTo("one ");
        assertThat(typed("one two\001\013new").text()).isEqualTo("new");
        assertThat(typed("gone\025kept").text()).isEqualTo("kept");
        assertThat(typed("ab\001\033[3~").text()).isEqualTo("b");
    }

    @Test
    void pasted_text_is_one_key_and_its_line_ends_are_shown() {
        var line = typed("\033[200~rm -rf\r\nsecond\033]0;x\007\033[201~");
        assertThat(line.text()).isEqualTo("rm -rf\nsecond]0;x");
        assertThat(line.shown(40)).isEqualTo("rm -rf⏎second]0;x\033[7m \033[0m");
    }

    @Test
    void the_cursor_is_always_visible() {
        var line = typed("a long line that has no room");
        assertThat(line.shown(10)).endsWith("\033[7m \033[0m");
        assertThat(SafeText.width(line.shown(10))).isLessThanOrEqualTo(10);
        assertThat(line.on(KeyPress.of(KeyPress.Kind.HOME)).shown(10)).startsWith("\033[7ma\033[0m long");
    }
}
