package dev.roost.house;

import dev.roost.agents.LastWord;
import dev.roost.ledger.Attempt;
import dev.roost.ledger.Result;
import dev.roost.run.Exit;
import dev.roost.run.Words;
import dev.roost.supervisor.AttemptDirectory;
import dev.roost.supervisor.PrivateFiles;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.util.Optional;

/** What an attempt leaves, and how its end is put. */
final class Results {

    private Results() {}

    /**
     * What the agent wrote to its result file, else its standard output, which then is result.md by another name. An agent
     * that left something odd there, a symlink or a directory, has left no result file.
     */
    static Result collect(AttemptDirectory directory) throws IOException {
        var file = PrivateFiles.size(directory.result()) > 0 ? directory.result() : directory.out();
        long size = PrivateFiles.size(file);
        if (file.equals(directory.out()) && size > 0) link(directory);
        if (size > Result.LEDGER_LIMIT) return new Result(Optional.empty(), size);
        String text = PrivateFiles.exists(file) ? PrivateFiles.tail(file, Result.LEDGER_LIMIT) : "";
        return text.isBlank() ? Result.none() : new Result(Optional.of(text), size);
    }

    /** The same, where the agent itself has said what its answer is. */
    static Result collect(AttemptDirectory directory, LastWord last) throws IOException {
        if (last instanceof LastWord.Success(var text) && !text.isBlank()) {
            directory.answer(text);
            return collect(directory);
        }
        if (PrivateFiles.size(directory.result()) > 0) return collect(directory);
        return Result.none();
    }

    private static void link(AttemptDirectory directory) throws IOException {
        try {
            Files.deleteIfExists(directory.result());
        } catch (DirectoryNotEmptyException e) {
            return;
        }
        Files.createLink(directory.result(), directory.out());
    }

    /** Whether the result is just what the output says already. */
    static boolean saidInOutput(AttemptDirectory directory) throws IOException {
        return PrivateFiles.size(directory.result()) == 0
                || (PrivateFiles.exists(directory.out()) && Files.isSameFile(directory.result(), directory.out()));
    }

    static String inOneLine(Attempt attempt) {
        var line = new StringBuilder(attempt.status().word());
        attempt.cause().ifPresent(cause -> line.append(": ").append(cause.inWords()));
        attempt.evidence()
                .flatMap(evidence -> evidence.exit())
                .map(Exit::inWords)
                .ifPresent(exit -> line.append(" (").append(exit).append(")"));
        attempt.took().ifPresent(time -> line.append(", after ").append(Words.span(time)));
        return line.toString();
    }
}
