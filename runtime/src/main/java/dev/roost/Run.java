package dev.roost;

import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Cause;
import dev.roost.model.Phase;
import dev.roost.model.Status;
import dev.roost.model.Usage;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** A snapshot of a run. Read the run again for its current state. */
public final class Run {

    private final RunRecord row;
    private final Usage usage;
    private final Path outputFile;

    Run(RunRecord row, Usage usage, Path outputFile) {
        this.row = row;
        this.usage = usage;
        this.outputFile = outputFile;
    }

    public String id() {
        return row.id().text();
    }

    public Optional<String> name() {
        return row.name();
    }

    public String owner() {
        return row.owner().id();
    }

    public String agent() {
        return row.agent();
    }

    public String description() {
        return row.description();
    }

    public Status status() {
        return row.status();
    }

    /** The phase of a live run. */
    public Optional<Phase> phase() {
        return row.latest().phase();
    }

    /** Why the run ended. */
    public Optional<Cause> cause() {
        return row.latest().cause();
    }

    /** The number of the latest attempt, from 1. */
    public int attempt() {
        return row.latest().n();
    }

    /** The agent's own id of the conversation. */
    public Optional<String> sessionId() {
        return row.sessionId();
    }

    /** The run's working directory. */
    public Path directory() {
        return row.cwd();
    }

    /** The file with the run's readable output, while it is live and afterwards. */
    public Path outputFile() {
        return outputFile;
    }

    /** Whether the run has ended and its owner has not read the end. */
    public boolean unread() {
        return row.latest().unread();
    }

    /** The usage of all attempts. */
    public Usage usage() {
        return usage;
    }

    public Instant createdAt() {
        return row.createdAt();
    }

    public Optional<Instant> startedAt() {
        return row.latest().startedAt();
    }

    public Optional<Instant> endedAt() {
        return row.latest().endedAt();
    }

    /** {@code r_0smdmenf8z0w completed}, followed by the cause unless it is {@code finished}. */
    @Override
    public String toString() {
        var why = cause().filter(cause -> cause != Cause.FINISHED).map(cause -> " (" + cause.word() + ")");
        return id() + " " + status().word() + why.orElse("");
    }
}
