package dev.roost.house;

import dev.roost.ledger.Run;
import dev.roost.worktrees.Changed;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;

/** Where the code of runs is, and how it comes back. */
public final class Code {

    private final Rooms rooms;

    Code(Rooms rooms) {
        this.rooms = rooms;
    }

    /** The files that the run's own worktree, or what was kept of it, has other than its base; empty if there is none. */
    public Optional<List<Changed>> changed(Run run) {
        return rooms.keeping().changed(run);
    }

    /** The command with which a person gets a run's kept work without Roost. */
    public Optional<List<String>> plainGit(Run run) {
        return rooms.keeping().plainGit(run);
    }

    /** Brings a run's kept work back: where it was, or as a copy at {@code to}. */
    public Path restore(Run run, Optional<Path> to, Optional<Integer> checkpoint) {
        return new Restoring(rooms).restore(run, to, checkpoint);
    }

    /** The run with what is known now of where its code is. */
    public Run lookAgain(Run run) {
        return new Reporting(rooms).looked(run);
    }

    /** The same, as far as this machine knows it: at once. */
    public Run lookHere(Run run) {
        return new Reporting(rooms).lookedHere(run);
    }

    /** The other node that has the run's files. */
    public Optional<String> elsewhere(Run run) {
        return rooms.keeping().isHere(run) ? Optional.empty() : run.holder();
    }
}
