package dev.roost.transfer;

import dev.roost.base.Broken;
import dev.roost.base.Refusal;
import java.io.IOException;

/** Why luggage is not taken. */
final class BundleRefusal {

    private BundleRefusal() {}

    static Refusal bad(String why) {
        return new Refusal(
                "bad_transfer",
                "The luggage is refused: %s.".formatted(why),
                "Nothing was written. Pack the run again.");
    }

    static Refusal tooBig(String what, long most) {
        return new Refusal(
                "transfer_too_large",
                "%s is larger than %,d MiB, which is the most that travels.".formatted(what, most >> 20),
                "The run can go on only on the machine where it is.");
    }

    static Broken files(IOException e) {
        return new Broken(
                "transfer_files",
                "The luggage could not be read or written: " + e,
                "Look at the disk and its permissions.");
    }
}
