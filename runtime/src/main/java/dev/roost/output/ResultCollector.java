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

/** Collects the result of an attempt and describes its end in one line. */
public final class ResultCollector {

    private ResultCollector() {}

    /**
     * The content of the agent's result file, or else its standard output, to which result.md is then linked. A symlink or a
     * directory in place of the file does not count as a result file.
     */
    public static AttemptResult collect(AttemptDirectory directory) throws IOException {
        var file = PrivateFiles.size(directory.result()) > 0 ? directory.result() : directory.out();
        long size = PrivateFiles.size(file);
        if (file.equals(directory.out()) && size > 0) link(directory);
        if (size > AttemptResult.LEDGER_LIMIT) return new AttemptResult(Optional.empty(), size);
        String text = PrivateFiles.exists(file) ? PrivateFiles.tail(file, AttemptResult.LEDGER_LIMIT) : "";
        return text.isBlank() ? AttemptResult.none() : new AttemptResult(Optional.of(text), size);
    }

    /** The result of an attempt with a final report: the answer in the report comes first. */
    public static AttemptResult collect(AttemptDirectory directory, FinalReport report) throws IOException {
        if (report instanceof FinalReport.Success(var text) && !text.isBlank()) {
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

    /** Whether the result is the same as the output. */
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
