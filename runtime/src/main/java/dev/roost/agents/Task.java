package dev.roost.agents;

import dev.roost.base.BadInput;
import java.nio.charset.StandardCharsets;
import java.util.List;
import java.util.Optional;

/** The task of an agent: a command line or a prompt. */
public record Task(List<String> argv, Optional<String> prompt) {

    private static final int LONGEST_PROMPT = 1 << 20;
    private static final int LONGEST_WORD = 128 * 1024 - 1;

    public Task {
        if (argv.isEmpty() == prompt.isEmpty()) {
            throw new BadInput(
                    "bad_task",
                    "A run needs either a command line or a prompt, and not both.",
                    "Put the words after --, or send the prompt on standard input.");
        }
        if (prompt.isPresent() && prompt.get().isBlank()) {
            throw new BadInput("empty_prompt", "The prompt is empty.", "Say what the agent is to do.");
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
            throw new BadInput("nul_in_task", "The task contains a NUL character.", "Remove it.");
        }
    }

    /** The task as a prompt, for agents that accept no command line. */
    public Task asPrompt() {
        return prompt.isPresent() ? this : new Task(List.of(), Optional.of(String.join(" ", argv)));
    }

    private static BadInput tooLong(int size, int most) {
        return new BadInput(
                "prompt_too_long",
                "The task is %,d bytes long; at most %,d are taken.".formatted(size, most),
                "Put the long part into a file and name the file.");
    }
}
