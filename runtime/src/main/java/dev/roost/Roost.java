package dev.roost;

import dev.roost.base.DiskErrors;
import dev.roost.base.ErrorCode;
import dev.roost.config.ProjectLookup;
import dev.roost.home.Home;
import dev.roost.home.HomeLayoutMigration;
import dev.roost.home.HomeLock;
import dev.roost.os.SystemClock;
import dev.roost.service.RoostService;
import java.io.IOException;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.logging.Level;
import java.util.logging.Logger;

/**
 * A home that this program has opened and locked. This program supervises the home's runs until it closes the home or dies.
 * The agents continue in both cases. The next process that opens the home, this program again or a daemon, supervises them.
 *
 * <p>The methods of {@link Runs} act for the owner that {@link Settings} name.
 */
public final class Roost implements Runs, AutoCloseable {

    /** Flyway logs which database it found; this is hidden unless the program sets the logger's level. */
    private static final Logger MIGRATIONS = Logger.getLogger("org.flywaydb");

    private final HomeLock lock;
    private final RoostService service;
    private final Runs own;

    private Roost(HomeLock lock, RoostService service, String owner) {
        this.lock = lock;
        this.service = service;
        this.own = new OwnerRuns(service, owner);
    }

    /** Opens a home, or creates it. */
    public static Roost open(Path home) {
        return open(home, Settings.DEFAULT);
    }

    /** Opens a home, or creates it, and recovers its runs. The home stays locked: no other process can open it meanwhile. */
    public static Roost open(Path home, Settings settings) {
        var place = Home.open(home);
        HomeLock lock = null;
        try {
            lock = HomeLock.take(place);
            HomeLayoutMigration.migrate(place);
            place.unpackLibraries();
            if (MIGRATIONS.getLevel() == null) MIGRATIONS.setLevel(Level.WARNING);
            var service = RoostService.open(place, settings.config(), ProjectLookup.NONE, new SystemClock());
            return new Roost(lock, service, settings.owner());
        } catch (IOException | RuntimeException e) {
            if (lock != null) release(lock);
            if (e instanceof RuntimeException known) throw known;
            throw DiskErrors.unusable(place.root().toString(), e);
        }
    }

    private static void release(HomeLock lock) {
        try {
            lock.close();
        } catch (IOException e) {
            throw ErrorCode.HOME_UNUSABLE.error(
                    "Releasing the home's lock failed: %s.".formatted(e), "Check the disk.");
        }
    }

    /** The runs of another owner, for example one conversation of a chat. An owner is written {@code harness:id}. */
    public Runs as(String owner) {
        return new OwnerRuns(service, owner);
    }

    @Override
    public Run start(RunRequest start) {
        return own.start(start);
    }

    @Override
    public List<Run> runs(Selection selection) {
        return own.runs(selection);
    }

    @Override
    public Run run(String run) {
        return own.run(run);
    }

    @Override
    public Run await(String run, Duration timeout) {
        return own.await(run, timeout);
    }

    @Override
    public Output output(String run, long cursor) {
        return own.output(run, cursor);
    }

    @Override
    public Run stop(String run) {
        return own.stop(run);
    }

    @Override
    public Run send(String run, String message) {
        return own.send(run, message);
    }

    @Override
    public List<Notice> inbox() {
        return own.inbox();
    }

    @Override
    public void acknowledge(List<Notice> notices) {
        own.acknowledge(notices);
    }

    /** Unlocks the home. The agents continue. */
    @Override
    public void close() {
        service.close();
        release(lock);
    }
}
