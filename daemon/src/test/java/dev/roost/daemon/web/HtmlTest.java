package dev.roost.daemon.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class HtmlTest {

    @Test
    void what_is_put_into_a_template_is_escaped_unless_it_is_a_piece_of_a_page() {
        assertThat(Html.of("<a title=\"{}\">{}</a>", "\"'<&>", Html.of("<b>{}</b>", "<i>")))
                .hasToString("<a title=\"&quot;&#39;&lt;&amp;&gt;\"><b>&lt;i&gt;</b></a>");
    }

    @Test
    void a_hole_in_what_is_put_in_is_no_hole() {
        assertThat(Html.of("{} {}", "{}", "x")).hasToString("{} x");
    }

    @Test
    void what_cannot_be_seen_or_turns_text_round_is_shown_as_unreadable() {
        assertThat(Html.text("a\u202eb\u0000c\u200bd\u2066e\ufefff"))
                .hasToString("a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf");
        assertThat(Html.text("tab\tand\nline \ud83d\udc68\u200d\ud83d\udc69"))
                .hasToString("tab\tand\nline \ud83d\udc68\u200d\ud83d\udc69");
    }

    @Test
    void holes_and_parts_must_agree() {
        assertThatThrownBy(() -> Html.of("{}", 1, 2)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Html.of("{}{}", 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
