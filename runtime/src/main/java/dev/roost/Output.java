package dev.roost;

import dev.roost.output.OutputPage;
import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.util.Optional;

/** Output of a run: its text since a cursor, and its result. */
public final class Output {

    private final Run run;
    private final OutputPage page;

    Output(Run run, OutputPage page) {
        this.run = run;
        this.page = page;
    }

    public Run run() {
        return run;
    }

    /** The run's result, once it has ended. */
    public Optional<String> result() {
        return page.result()
                .or(() -> page.resultFile().map(file -> {
                    try {
                        return Files.readString(file);
                    } catch (IOException e) {
                        throw new UncheckedIOException(e);
                    }
                }));
    }

    /** The readable output since the requested cursor. */
    public String text() {
        return page.text();
    }

    /** The cursor that continues after this output. */
    public long nextCursor() {
        return page.nextCursor();
    }
}
