package dev.roost.home;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;

class RawStreamTest {

    @TempDir
    Path directory;

    private final List<String> lines = new ArrayList<>();

    private Path write(String text) throws IOException {
        return Files.writeString(directory.resolve("out"), text);
    }

    private void append(String text) throws IOException {
        Files.writeString(directory.resolve("out"), text, StandardOpenOption.APPEND);
    }

    @Test
    void a_line_is_handed_over_once_it_is_complete_and_only_once() throws IOException {
        var stream = new RawStream(write("one\ntw"), 0);
        assertThat(stream.lines(100, false, lines::add)).isTrue();
        assertThat(stream.offset()).isEqualTo(4);
        assertThat(stream.lines(100, false, lines::add)).isFalse();
        append("o\nthree");
        assertThat(stream.lines(100, false, lines::add)).isTrue();
        assertThat(stream.lines(100, true, lines::add)).isFalse();
        assertThat(stream.lines(100, true, lines::add)).isFalse();
        assertThat(lines).containsExactly("one", "two", "three");
        assertThat(stream.offset()).isEqualTo(13);
    }

    @Test
    void one_call_reads_little_more_than_the_requested_amount() throws IOException {
        var stream = new RawStream(write("0123456789\n".repeat(100_000)), 0);
        assertThat(stream.lines(1 << 17, false, lines::add)).isTrue();
        assertThat(stream.offset()).isBetween(1L << 16, 1L << 18);
        while (stream.lines(1 << 17, false, lines::add)) {
            // until everything is read
        }
        assertThat(lines).hasSize(100_000).allMatch("0123456789"::equals);
    }

    @Test
    @Timeout(value = 20, unit = TimeUnit.SECONDS)
    void a_growing_line_is_not_read_again_from_its_start() throws IOException {
        var stream = new RawStream(write(""), 0);
        var piece = "x".repeat(1 << 16);
        for (int i = 0; i < 1000; i++) {
            append(piece);
            stream.lines(1 << 20, false, lines::add);
        }
        append("\n");
        stream.lines(1 << 20, false, lines::add);
        assertThat(lines).singleElement().satisfies(line -> assertThat(line).hasSize(32 << 20));
        assertThat(stream.offset()).isEqualTo((1000L << 16) + 1);
    }
}
