package dev.roost.daemon.web;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.Random;
import org.junit.jupiter.api.Test;

class AnsiTest {

    private static String shown(String... pieces) {
        var ansi = new Ansi();
        var all = new StringBuilder();
        for (var piece : pieces) all.append(ansi.render(piece));
        return all.toString();
    }

    @Test
    void colours_become_css_classes() {
        assertThat(shown("\033[32mok\033[0m \033[1;31;44mbad\033[m."))
                .isEqualTo("<span class=\"f2\">ok</span> <span class=\"f1 b4 bold\">bad</span>.");
        assertThat(shown("\033[91mx\033[39my")).isEqualTo("<span class=\"f9\">x</span>y");
        assertThat(shown("\033[7mx\033[27m")).isEqualTo("<span class=\"rev\">x</span>");
    }

    @Test
    void any_other_colour_becomes_the_nearest_of_the_sixteen() {
        assertThat(shown("\033[38;5;196mx")).contains("f1");
        assertThat(shown("\033[38;2;10;10;10mx")).contains("f0");
        assertThat(shown("\033[48:5:255mx")).contains("b7");
    }

    @Test
    void a_colour_continues_in_the_next_chunk_and_a_sequence_may_be_split() {
        assertThat(shown("\033[3", "2mgreen", " still"))
                .isEqualTo("<span class=\"f2\">green</span><span class=\"f2\"> still</span>");
    }

    @Test
    void every_other_escape_sequence_is_shown_visibly() {
        assertThat(shown("\033[2Ja\033[10;3Hb\033]0;title\007c"))
                .isEqualTo(
                        "<span class=\"esc\">ESC[2J</span>a<span class=\"esc\">ESC[10;3H</span>b<span class=\"esc\">ESC]</span>0;title\ufffdc");
        assertThat(shown("one\rtwo\r\nthree")).isEqualTo("one\ntwo\nthree");
    }

    @Test
    void markup_is_escaped_in_every_context() {
        assertThat(shown("\033[31m<script>\033[0m&")).isEqualTo("<span class=\"f1\">&lt;script&gt;</span>&amp;");
    }

    @Test
    void no_input_becomes_markup() {
        var random = new Random(7);
        var alphabet = "\033[]0123456789;:mJHK<>\"'&\n\r\007\u202eab";
        for (int i = 0; i < 5000; i++) {
            var text = new StringBuilder();
            for (int n = random.nextInt(40); n >= 0; n--)
                text.append(alphabet.charAt(random.nextInt(alphabet.length())));
            var html = shown(text.substring(0, text.length() / 2), text.substring(text.length() / 2));
            var rest = html.replaceAll("<span class=\"[a-z0-9 ]+\">|</span>|&(amp|lt|gt|quot|#39);", "");
            assertThat(rest).as(text.toString()).doesNotContain("<", ">", "\"", "'", "&", "\033", "\u202e");
        }
    }
}
