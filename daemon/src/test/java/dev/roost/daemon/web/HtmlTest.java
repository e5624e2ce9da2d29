package dev.roost.daemon.web;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import org.junit.jupiter.api.Test;

class HtmlTest {

    @Test
    void values_in_a_template_are_escaped_unless_they_are_html() {
        assertThat(Html.of("<a title=\"{}\">{}</a>", "\"'<&>", Html.of("<b>{}</b>", "<i>")))
                .hasToString("<a title=\"&quot;&#39;&lt;&amp;&gt;\"><b>&lt;i&gt;</b></a>");
    }

    @Test
    void a_placeholder_in_a_value_is_not_replaced() {
        assertThat(Html.of("{} {}", "{}", "x")).hasToString("{} x");
    }

    @Test
    void invisible_and_bidirectional_characters_are_replaced() {
        assertThat(Html.text("a\u202eb\u0000c\u200bd\u2066e\ufefff"))
                .hasToString("a\ufffdb\ufffdc\ufffdd\ufffde\ufffdf");
        assertThat(Html.text("tab\tand\nline \ud83d\udc68\u200d\ud83d\udc69"))
                .hasToString("tab\tand\nline \ud83d\udc68\u200d\ud83d\udc69");
    }

    @Test
    void placeholders_and_values_must_match() {
        assertThatThrownBy(() -> Html.of("{}", 1, 2)).isInstanceOf(IllegalArgumentException.class);
        assertThatThrownBy(() -> Html.of("{}{}", 1)).isInstanceOf(IllegalArgumentException.class);
    }
}
