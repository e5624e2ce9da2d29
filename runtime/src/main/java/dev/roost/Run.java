package dev.roost;

import dev.roost.ledger.record.RunRecord;
import dev.roost.model.Cause;
import dev.roost.model.Phase;
import dev.roost.model.Status;
import dev.roost.model.Usage;
import java.nio.file.Path;
import java.time.Instant;
import java.util.Optional;

/** A run as it was when it was asked about; ask again for what it is now. */
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

    /** Where a live run is. */
    public Optional<Phase> phase() {
        return row.latest().phase();
    }

    /** Why it ended as it did. */
    public Optional<Cause> cause() {
        return row.latest().cause();
    }

    /** 1 for its first process. */
    public int attempt() {
        return row.latest().n();
    }

    /** The agent's own id of the conversation. */
    public Optional<String> sessionId() {
        return row.sessionId();
    }

    /** Where it works. */
    public Path directory() {
        return row.cwd();
    }

    /** What it says, for people to read, while it works and afterwards. */
    public Path outputFile() {
        return outputFile;
    }

    /** Whether it ended and its owner has not read that. */
    public boolean unread() {
        return row.latest().unread();
    }

    /** What all its attempts used. */
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

    /** {@code r_0smdmenf8z0w completed}, with the cause where there is one to tell. */
    @Override
    public String toString() {
        var why = cause().filter(cause -> cause != Cause.FINISHED).map(cause -> " (" + cause.word() + ")");
        return id() + " " + status().word() + why.orElse("");
    }
}
