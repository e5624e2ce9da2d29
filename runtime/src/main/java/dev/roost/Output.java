package dev.roost;

import dev.roost.output.OutputPage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Optional;

/** What a run has said. */
public final class Output {

    private final Run run;
    private final OutputPage read;

    Output(Run run, OutputPage read) {
        this.run = run;
        this.read = read;
    }

    public Run run() {
        return run;
    }

    /** What it left, once it has ended. */
    public Optional<String> result() {
        return read.result()
                .or(() -> read.resultFile().map(file -> {
                    try {
                        return Files.readString(file);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }));
    }

    /** Its words since the cursor that was asked for, readable. */
    public String text() {
        return read.text();
    }

    /** To be given for what comes after this. */
    public long nextCursor() {
        return read.nextCursor();
    }
}
