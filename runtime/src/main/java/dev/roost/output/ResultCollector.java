package dev.roost.output;

import dev.roost.agents.FinalReport;
import dev.roost.base.TextFormat;
import dev.roost.home.AttemptDirectory;
import dev.roost.home.PrivateFiles;
import dev.roost.ledger.record.AttemptRecord;
import dev.roost.ledger.record.AttemptResult;
import dev.roost.model.Exit;
import java.io.IOException;
import java.nio.file.DirectoryNotEmptyException;
import java.nio.file.Files;
import java.util.Optional;

/** What an attempt leaves, and how its end is put. */
public final class ResultCollector {

    private ResultCollector() {}

    /**
     * What the agent wrote to its result file, else its standard output, which then is result.md by another name. An agent
     * that left something odd there, a symlink or a directory, has left no result file.
     */
    public static AttemptResult collect(AttemptDirectory directory) throws IOException {
        var file = PrivateFiles.size(directory.result()) > 0 ? directory.result() : directory.out();
        long size = PrivateFiles.size(file);
        if (file.equals(directory.out()) && size > 0) link(directory);
        if (size > AttemptResult.LEDGER_LIMIT) return new AttemptResult(Optional.empty(), size);
        String text = PrivateFiles.exists(file) ? PrivateFiles.tail(file, AttemptResult.LEDGER_LIMIT) : "";
        return text.isBlank() ? AttemptResult.none() : new AttemptResult(Optional.of(text), size);
    }

    /** The same, where the agent itself has said what its answer is. */
    public static AttemptResult collect(AttemptDirectory directory, FinalReport last) throws IOException {
        if (last instanceof FinalReport.Success(var text) && !text.isBlank()) {
            directory.writeResult(text);
            return collect(directory);
        }
        if (PrivateFiles.size(directory.result()) > 0) return collect(directory);
        return AttemptResult.none();
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
    static boolean isOutputResult(AttemptDirectory directory) throws IOException {
        return PrivateFiles.size(directory.result()) == 0
                || (PrivateFiles.exists(directory.out()) && Files.isSameFile(directory.result(), directory.out()));
    }

    static String inOneLine(AttemptRecord attempt) {
        var line = new StringBuilder(attempt.status().word());
        attempt.cause().ifPresent(cause -> line.append(": ").append(cause.inWords()));
        attempt.evidence()
                .flatMap(evidence -> evidence.exit())
                .map(Exit::inWords)
                .ifPresent(exit -> line.append(" (").append(exit).append(")"));
        attempt.took().ifPresent(time -> line.append(", after ").append(TextFormat.span(time)));
        return line.toString();
    }
}
