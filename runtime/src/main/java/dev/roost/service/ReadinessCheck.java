package dev.roost.service;

import dev.roost.base.Broken;
import dev.roost.base.RoostError;
import dev.roost.home.Home;
import dev.roost.ledger.Ledger;
import dev.roost.model.RunId;
import dev.roost.os.Volume;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Checks whether a home is ready for use. The check hangs if the disk hangs, so the caller must apply a timeout. */
public final class ReadinessCheck {

    private static final long MIN_FREE = 100L << 20;

    private final Home home;
    private final Ledger ledger;
    private final Supplier<List<RunId>> unsupervised;

    ReadinessCheck(Home home, Ledger ledger, Supplier<List<RunId>> unsupervised) {
        this.home = home;
        this.ledger = ledger;
        this.unsupervised = unsupervised;
    }

    /** Passes the name of each step to {@code at} before it runs; throws the first failure, with a text without local paths. */
    public void check(Consumer<String> at) {
        at.accept("disk");
        if (free() < MIN_FREE)
            throw notReady(
                    "disk",
                    "The disk of the home has less than %d MB free.".formatted(MIN_FREE >> 20),
                    "Free some space.");
        at.accept("ledger_write");
        checkStep("ledger_write", "The ledger cannot be written.", ledger::checkWritable);
        at.accept("ledger_read");
        checkStep(
                "ledger_read",
                "The ledger cannot be read.",
                () -> ledger.spend().tally(1));
        at.accept("settled");
        int left = unsupervised.get().size();
        if (left > 0) {
            throw notReady(
                    "settled",
                    "%d runs are running in the ledger but are not supervised.".formatted(left),
                    "The daemon retries every two seconds; the log shows why it fails.");
        }
        at.accept("nothing");
    }

    private long free() {
        try {
            return new Volume(home.root()).free();
        } catch (IOException e) {
            throw notReady("disk", "The disk of the home does not answer.", "Read the log.");
        }
    }

    private static void checkStep(String what, String sentence, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            throw notReady(what, sentence, "Read the log, and check the disk.");
        }
    }

    /** {@code what} is the name of the failed check. */
    public static RoostError notReady(String what, String sentence, String hint) {
        return new Broken("not_ready_" + what, sentence, hint);
    }
}
