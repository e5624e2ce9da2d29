package dev.roost.service;

import dev.roost.base.Broken;
import dev.roost.home.Home;
import dev.roost.ledger.Ledger;
import dev.roost.model.RunId;
import dev.roost.os.Volume;
import java.io.IOException;
import java.util.List;
import java.util.function.Consumer;
import java.util.function.Supplier;

/** Looks whether a home can do what it promises. Where the disk hangs, so does the look: whoever asks minds the time. */
public final class ReadinessCheck {

    private static final long ROOM = 100L << 20;

    private final Home home;
    private final Ledger ledger;
    private final Supplier<List<RunId>> unsupervised;

    ReadinessCheck(Home home, Ledger ledger, Supplier<List<RunId>> unled) {
        this.home = home;
        this.ledger = ledger;
        this.unsupervised = unled;
    }

    /** Says, before each step, what is looked at; throws what is wrong, in words that name no place on this machine. */
    public void check(Consumer<String> at) {
        at.accept("disk");
        if (free() < ROOM)
            throw notReady(
                    "disk", "The disk of the home has less than %d MB free.".formatted(ROOM >> 20), "Free some space.");
        at.accept("ledger_write");
        checkStep("ledger_write", "The ledger takes no write.", ledger::checkWritable);
        at.accept("ledger_read");
        checkStep(
                "ledger_read",
                "The ledger answers no read.",
                () -> ledger.spend().tally(1));
        at.accept("settled");
        int left = unsupervised.get().size();
        if (left > 0) {
            throw notReady(
                    "settled",
                    "%d runs are called running and have nobody who leads them.".formatted(left),
                    "They are looked at every two seconds; the log says what is in the way.");
        }
        at.accept("nothing");
    }

    private long free() {
        try {
            return new Volume(home.root()).free();
        } catch (IOException e) {
            throw notReady("disk", "The disk of the home does not answer.", "Look at the log.");
        }
    }

    private static void checkStep(String what, String sentence, Runnable step) {
        try {
            step.run();
        } catch (RuntimeException e) {
            throw notReady(what, sentence, "Look at the log, and check the disk.");
        }
    }

    /** {@code what}: which of the checks. */
    public static Broken notReady(String what, String sentence, String hint) {
        return new Broken("not_ready_" + what, sentence, hint);
    }
}
