package dev.roost.transfer;

import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import java.io.IOException;

/** The errors for a transfer bundle that cannot be packed or unpacked. */
final class BundleRefusal {

    private BundleRefusal() {}

    static RoostError bad(String why) {
        return ErrorCode.BAD_TRANSFER.error(
                "The transfer bundle is refused: %s.".formatted(why), "Nothing was written. Pack the run again.");
    }

    static RoostError tooBig(String what, long most) {
        return ErrorCode.TRANSFER_TOO_LARGE.error(
                "%s is larger than %,d MiB, the limit of a transfer.".formatted(what, most >> 20));
    }

    static RoostError files(IOException e) {
        return ErrorCode.TRANSFER_FILES.error(
                "The transfer bundle could not be read or written: " + e, "Check the disk and the permissions.");
    }
}
