package dev.roost.transfer;

import dev.roost.base.Broken;
import dev.roost.base.Refusal;
import java.io.IOException;

/** The errors for a transfer bundle that cannot be packed or unpacked. */
final class BundleRefusal {

    private BundleRefusal() {}

    static Refusal bad(String why) {
        return new Refusal(
                "bad_transfer",
                "The transfer bundle is refused: %s.".formatted(why),
                "Nothing was written. Pack the run again.");
    }

    static Refusal tooBig(String what, long most) {
        return new Refusal(
                "transfer_too_large",
                "%s is larger than %,d MiB, the limit of a transfer.".formatted(what, most >> 20),
                "The run can continue only on the machine where it is.");
    }

    static Broken files(IOException e) {
        return new Broken(
                "transfer_files",
                "The transfer bundle could not be read or written: " + e,
                "Check the disk and the permissions.");
    }
}
