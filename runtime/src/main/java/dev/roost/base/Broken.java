package dev.roost.base;

/** A resource that Roost depends on failed: the disk, the home, the ledger. No accepted run is lost. */
public final class Broken extends RoostError {
    Broken(ErrorCode code, String message, String hint) {
        super(code, message, hint);
    }
}
