package dev.roost.agent;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.ByteArrayOutputStream;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Which steps the journal stores and restores. */
class JournalTest {

    @TempDir
    Path run;

    private Turn attempt(int n, int turn, String prompt) throws IOException {
        Files.createDirectory(run.resolve(Integer.toString(n)));
        var journal = Journal.open(run, n, turn, prompt);
        return new Turn(
                "r_1",
                n,
                turn,
                List.of(),
                run,
                journal,
                new EventWriter(new ByteArrayOutputStream()),
                new Turn.UsageTotals());
    }

    private static @Nullable Object replay(Turn turn, String name) {
        return turn.<@Nullable Object, RuntimeException>step(name, () -> {
            throw new AssertionError(name + " was executed again");
        });
    }

    enum Colour {
        RED
    }

    record Point(int x, double y, Colour colour) {}

    @Test
    void a_value_keeps_its_type_and_content() throws IOException {
        var first = attempt(1, 1, "p");
        var values = Arrays.asList(
                "text",
                true,
                7,
                7_000_000_000L,
                0.5,
                Colour.RED,
                new Point(1, 2.5, Colour.RED),
                List.of("a", "b"),
                Map.of("k", 1),
                null);
        for (int i = 0; i < values.size(); i++) {
            var value = values.get(i);
            assertThat(first.step("step " + i, () -> value)).isEqualTo(value);
        }
        var second = attempt(2, 1, "interrupted");
        assertThat(second.prompt()).isEqualTo("p");
        assertThat(second.resumed()).isTrue();
        for (int i = 0; i < values.size(); i++)
            assertThat(replay(second, "step " + i)).isEqualTo(values.get(i));
    }

    @Test
    void a_value_that_cannot_be_restored_is_refused_the_first_time() throws IOException {
        var first = attempt(1, 1, "p");
        assertThatThrownBy(() -> first.step("s", Object::new))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining("cannot be given back");
        assertThat(Files.readString(run.resolve("1/journal.jsonl"))).doesNotContain("\"s\"");
    }

    @Test
    void a_failed_or_truncated_step_is_executed_again() throws IOException {
        var first = attempt(1, 1, "p");
        assertThatThrownBy(() -> first.step("bad", () -> {
                    throw new IOException("away");
                }))
                .isInstanceOf(IOException.class);
        first.step("good", () -> "1");
        first.step("torn", () -> "a long value");
        var file = run.resolve("1/journal.jsonl");
        var text = Files.readString(file);
        for (int cut = 1; cut < 20; cut++) {
            Files.writeString(file, text.substring(0, text.length() - cut));
            var next = attempt(1 + cut, 1, "p");
            assertThat(replay(next, "good")).isEqualTo("1");
            assertThat(next.journal().find("torn"))
                    .isEqualTo(cut == 1 ? first.journal().find("torn") : Optional.empty());
            assertThat(next.journal().find("bad")).isEmpty();
        }
    }

    @Test
    void a_third_attempt_has_the_steps_of_both_earlier_attempts() throws IOException {
        attempt(1, 1, "p").step("one", () -> "1");
        var second = attempt(2, 1, "interrupted");
        replay(second, "one");
        second.step("two", () -> "2");
        var third = attempt(3, 1, "interrupted again");
        assertThat(replay(third, "one")).isEqualTo("1");
        assertThat(replay(third, "two")).isEqualTo("2");
        assertThat(third.prompt()).isEqualTo("p");
    }

    @Test
    void a_turn_has_no_steps_of_the_previous_turn() throws IOException {
        attempt(1, 1, "p").step("one", () -> "1");
        var next = attempt(2, 2, "more");
        assertThat(next.prompt()).isEqualTo("more");
        assertThat(next.resumed()).isFalse();
        assertThat(next.step("one", () -> "other")).isEqualTo("other");
    }
}
