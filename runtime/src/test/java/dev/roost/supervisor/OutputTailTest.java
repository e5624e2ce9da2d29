package dev.roost.supervisor;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardOpenOption;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class OutputTailTest {

    @TempDir
    Path directory;

    @Test
    void what_was_carried_over_after_the_last_saved_position_is_carried_over_again_and_not_twice() throws IOException {
        var raw = directory.resolve("out");
        var readable = directory.resolve("output.md");
        Files.writeString(raw, "one\n");
        long rawSaved;
        long readableSaved;
        try (var tail = new OutputTail(raw, readable, 0, 0)) {
            assertThat(tail.advance(Long.MAX_VALUE)).isTrue();
            rawSaved = tail.rawOffset();
            readableSaved = tail.readableLength();
            Files.writeString(raw, "two\n", StandardOpenOption.APPEND);
            tail.advance(Long.MAX_VALUE); // and here the daemon dies, before it saved that
            tail.append("half a foot");
        }
        Files.writeString(raw, "three\n", StandardOpenOption.APPEND);
        try (var tail = new OutputTail(raw, readable, rawSaved, readableSaved)) {
            tail.advance(Long.MAX_VALUE);
            assertThat(tail.advance(Long.MAX_VALUE)).isFalse();
        }
        assertThat(readable).hasContent("one\ntwo\nthree\n");
    }

    @Test
    void a_planted_symlink_leads_nowhere() throws IOException {
        var precious = directory.resolve("precious");
        Files.writeString(precious, "do not touch");
        Files.createSymbolicLink(directory.resolve("output.md"), precious);
        assertThatThrownBy(() -> new OutputTail(directory.resolve("out"), directory.resolve("output.md"), 0, 0))
                .isInstanceOf(IOException.class);
        assertThat(precious).hasContent("do not touch");
    }
}
