package dev.roost;

import dev.roost.ledger.Attempt;
import dev.roost.ledger.Result;
import dev.roost.run.Exit;
import dev.roost.run.RunId;
import dev.roost.run.Words;
import dev.roost.supervisor.AttemptDirectory;
import dev.roost.supervisor.OutputTail;
import dev.roost.supervisor.PrivateFiles;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.nio.file.StandardOpenOption;
import java.time.Duration;
import java.util.Optional;

/** What an attempt leaves: its result, and the last lines of its readable output. */
final class Results {

    private Results() {}

    /** What the agent wrote to its result file, else its standard output; then result.md is that. */
    static Result collect(AttemptDirectory directory) throws IOException {
        if (PrivateFiles.size(directory.result()) == 0 && PrivateFiles.size(directory.out()) > 0) {
            copy(directory);
        }
        long size = PrivateFiles.size(directory.result());
        if (size > Result.LEDGER_LIMIT) return new Result(Optional.empty(), size);
        String text = PrivateFiles.tail(directory.result(), Result.LEDGER_LIMIT);
        return text.isBlank() ? Result.none() : new Result(Optional.of(text), size);
    }

    private static void copy(AttemptDirectory directory) throws IOException {
        try (var from = PrivateFiles.open(directory.out(), StandardOpenOption.READ);
                var to = PrivateFiles.open(
                        directory.result(), StandardOpenOption.CREATE, StandardOpenOption.TRUNCATE_EXISTING)) {
            long size = from.size();
            for (long at = 0; at < size; ) at += from.transferTo(at, size - at, to);
            if (size > Result.LEDGER_LIMIT) to.force(true); // shorter ones are durable in the ledger
        }
    }

    /** Ends output.md with what became of the attempt, as the ledger has it. */
    static void seal(Rooms rooms, RunId run, Attempt ended, OutputTail tail) throws IOException {
        var directory = rooms.home().run(run).attempt(ended.n());
        tail.append("\n---\n%s\n".formatted(inOneLine(ended)));
        if (!saidInOutput(directory)) {
            tail.append("\n" + rooms.ledger().result(run, ended.n()).orElse("The result is in " + directory.result()));
        }
        rooms.ledger().sealed(run, ended.n());
    }

    /** Whether the result is just what the output says already. */
    private static boolean saidInOutput(AttemptDirectory directory) throws IOException {
        long size = PrivateFiles.size(directory.result());
        if (size == 0) return true;
        if (size != PrivateFiles.size(directory.out())) return false;
        try (var out = PrivateFiles.open(directory.out(), StandardOpenOption.READ);
                var result = PrivateFiles.open(directory.result(), StandardOpenOption.READ)) {
            var left = ByteBuffer.allocate(1 << 16);
            var right = ByteBuffer.allocate(1 << 16);
            out.read(left);
            result.read(right);
            return left.flip().equals(right.flip());
        }
    }

    static String inOneLine(Attempt attempt) {
        var line = new StringBuilder(attempt.status().word());
        attempt.cause().ifPresent(cause -> line.append(": ").append(cause.inWords()));
        attempt.evidence()
                .flatMap(evidence -> evidence.exit())
                .map(Exit::inWords)
                .ifPresent(exit -> line.append(" (").append(exit).append(")"));
        if (attempt.startedAt().isPresent() && attempt.endedAt().isPresent()) {
            var took = Duration.between(
                    attempt.startedAt().get(), attempt.endedAt().get());
            line.append(", after ").append(Words.span(took));
        }
        return line.toString();
    }
}
