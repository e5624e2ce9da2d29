package dev.roost.service;

import dev.roost.base.ErrorCode;
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

    /** Passes each step to {@code at} before it runs; throws the first failure, with a text without local paths. */
    public void check(Consumer<ErrorCode> at) {
        at.accept(ErrorCode.NOT_READY_DISK);
        if (free() < MIN_FREE)
            throw ErrorCode.NOT_READY_DISK.error(
                    "The disk of the home has less than %d MB free.".formatted(MIN_FREE >> 20));
        checkStep(at, ErrorCode.NOT_READY_LEDGER_WRITE, "The ledger cannot be written.", ledger::checkWritable);
        checkStep(
                at,
                ErrorCode.NOT_READY_LEDGER_READ,
                "The ledger cannot be read.",
                () -> ledger.spend().tally(1));
        at.accept(ErrorCode.NOT_READY_SETTLED);
        int left = unsupervised.get().size();
        if (left > 0)
            throw ErrorCode.NOT_READY_SETTLED.error(
                    "%d runs are running in the ledger but are not supervised.".formatted(left));
    }

    private long free() {
        try {
            return new Volume(home.root()).free();
        } catch (IOException e) {
            throw ErrorCode.NOT_READY_DISK.error("The disk of the home does not answer.", "Read the log.");
        }
    }

    private static void checkStep(Consumer<ErrorCode> at, ErrorCode code, String sentence, Runnable step) {
        at.accept(code);
        try {
            step.run();
        } catch (RuntimeException e) {
            throw code.error(sentence);
        }
    }
}
