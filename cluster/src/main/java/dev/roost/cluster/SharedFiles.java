package dev.roost.cluster;

import dev.roost.ledger.Ledger;
import dev.roost.ledger.Position;
import dev.roost.ledger.Run;
import dev.roost.run.Clock;
import dev.roost.run.RunId;
import dev.roost.shelf.Kept;
import dev.roost.shelf.Mirror;
import dev.roost.shelf.ShelfName;
import dev.roost.shelf.ShelfStream;
import dev.roost.supervisor.Home;
import dev.roost.supervisor.PrivateFiles;
import java.io.IOException;
import java.io.InputStream;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;
import java.util.Set;
import java.util.function.BooleanSupplier;
import java.util.stream.Collectors;

/** What this node puts where others find it, and gets from there: the output of runs, and what they would take along. */
final class SharedFiles implements AutoCloseable {

    private static final System.Logger LOG = System.getLogger(SharedFiles.class.getName());

    private final PostgresShelf shelf;
    private final Home home;
    private final Ledger ledger;
    private final String self;
    private final Shipper shipper;
    private final Mirror mirror;

    SharedFiles(PostgresShelf shelf, Home home, Ledger ledger, String self, Clock clock) {
        this.shelf = shelf;
        this.home = home;
        this.ledger = ledger;
        this.self = self;
        this.shipper = new Shipper(shelf, home, clock);
        this.mirror = new Mirror(shelf, home, shipper::leads);
    }

    boolean stow(RunId run, int attempt, boolean ended, ShelfName name, InputStream luggage) throws IOException {
        return shelf.put(run, writer(attempt, ended), name, luggage).isPresent();
    }

    Set<ShelfName> stowed(RunId run) {
        return shelf.list(run).stream()
                .map(Kept::name)
                .filter(ShelfName::isLuggage)
                .collect(Collectors.toSet());
    }

    Optional<InputStream> unload(RunId run, ShelfName name) {
        return shelf.find(run, name).map(kept -> new ShelfStream(shelf, run, kept));
    }

    void lead(RunId run, int attempt, boolean ended, Position at) throws IOException {
        var lengths = Map.of(ShelfName.OUTPUT, at.outputBytes(), ShelfName.TRANSCRIPT, at.transcriptBytes());
        mirror.lead(run, () -> shipper.lead(run, writer(attempt, ended), lengths));
    }

    /** Who adds the last lines to an attempt that is over comes after whoever had it, and before the next. */
    static int writer(int attempt, boolean ended) {
        return 2 * attempt + (ended ? 1 : 0);
    }

    void leave(RunId run) {
        shipper.leave(run);
    }

    void grew(RunId run) {
        shipper.grew(run);
    }

    boolean flush(RunId run, Duration within) {
        try {
            if (shipper.flush(run, within)) return true;
            LOG.log(System.Logger.Level.WARNING, "{0}: the others do not have all of its output yet", run);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        return false;
    }

    void fetch(Run run, BooleanSupplier writes) throws IOException {
        boolean all = hasAll(run); // even then: who is about to write waits for whoever brings them this moment
        mirror.bring(run.id(), name -> !all && !name.isLuggage() && !writes.getAsBoolean());
    }

    /** Whoever has its files may have more than it could send; or less, if another added its last lines. */
    private boolean hasAll(Run run) throws IOException {
        if (!run.holder().equals(Optional.of(self))) return false;
        var attempts = ledger.runs().attempts(run.id());
        boolean others = attempts.stream()
                .skip(Math.max(0, attempts.size() - 2))
                .anyMatch(one -> one.node().filter(node -> !node.equals(self)).isPresent());
        if (others) return false; // what was said here after it was taken over is nobody's
        long shared = shelf.find(run.id(), ShelfName.OUTPUT).map(Kept::length).orElse(0L);
        return PrivateFiles.size(home.run(run.id()).output()) >= shared;
    }

    void forgetPruned() {
        shelf.forgetPruned();
    }

    @Override
    public void close() {
        shipper.close();
    }
}
