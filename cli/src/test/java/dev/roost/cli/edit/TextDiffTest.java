package dev.roost.cli.edit;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class TextDiffTest {

    private static String numbers(int from, int until) {
        return IntStream.range(from, until).mapToObj(i -> i + "\n").reduce("", String::concat);
    }

    private static String text(String path, String before, String after) {
        return String.join("\n", TextDiff.unified(path, before, after)) + "\n";
    }

    @Test
    void a_change_is_shown_with_three_lines_around_it_and_near_ones_share_a_hunk() {
        var after = numbers(0, 40).replace("10\n", "ten\n").replace("13\n", "").replace("30\n", "30\nand a half\n");
        assertThat(text("file", numbers(0, 40), after)).isEqualTo("""
                --- file
                +++ file
                @@ -8,10 +8,9 @@
                 7
                 8
                 9
                -10
                +ten
                 11
                 12
                -13
                 14
                 15
                 16
                @@ -29,6 +28,7 @@
                 28
                 29
                 30
                +and a half
                 31
                 32
                 33
                """);
    }

    @Test
    void a_new_file_and_a_removed_file_have_an_empty_side() {
        assertThat(TextDiff.hunks("", "a\nb\n")).containsExactly("@@ -0,0 +1,2 @@", "+a", "+b");
        assertThat(TextDiff.hunks("a\nb\n", "")).containsExactly("@@ -1,2 +0,0 @@", "-a", "-b");
    }

    @Test
    void a_missing_newline_at_the_end_is_a_difference() {
        assertThat(TextDiff.hunks("a\nb", "a\nb\n"))
                .containsExactly("@@ -1,2 +1,2 @@", " a", "-b\n\\ No newline at end of file", "+b");
        assertThat(TextDiff.hunks("a\n", "a\n")).isEqualTo(List.of());
    }
}
