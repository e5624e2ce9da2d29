package dev.roost.agents;

import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** The task of an agent: a command line or a prompt. */
public record Task(List<String> argv, Optional<String> prompt) {

    private static final int LONGEST_PROMPT = 1 << 20;
    private static final int LONGEST_WORD = 128 * 1024 - 1;

    public Task {
        if (argv.isEmpty() == prompt.isEmpty()) {
            throw ErrorCode.BAD_TASK.error("A run needs either a command line or a prompt, and not both.");
        }
        if (prompt.isPresent() && prompt.get().isBlank()) {
            throw ErrorCode.EMPTY_PROMPT.error("The prompt is empty.");
        }
        int size =
                prompt.map(text -> text.getBytes(StandardCharsets.UTF_8).length).orElse(0);
        for (var word : argv) {
            int length = word.getBytes(StandardCharsets.UTF_8).length;
            size += length + 1;
            if (length > LONGEST_WORD) throw tooLong(length, LONGEST_WORD);
        }
        if (size > LONGEST_PROMPT) throw tooLong(size, LONGEST_PROMPT);
        if (argv.stream().anyMatch(word -> word.indexOf('\0') >= 0)
                || prompt.orElse("").indexOf('\0') >= 0) {
            throw ErrorCode.NUL_IN_TASK.error("The task contains a NUL character.");
        }
    }

    /** The task as a prompt, for agents that accept no command line. */
    public Task asPrompt() {
        return prompt.isPresent() ? this : new Task(List.of(), Optional.of(String.join(" ", argv)));
    }

    private static RoostError tooLong(int size, int most) {
        return ErrorCode.PROMPT_TOO_LONG.error(
                "The task is %,d bytes long; at most %,d are taken.".formatted(size, most));
    }
}
