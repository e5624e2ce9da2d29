package dev.roost.base;

/** Something Roost stands on gave way: the disk, the home, the ledger. Nothing that was accepted is lost. */
public final class Broken extends RoostError {
    public Broken(String code, String message, String hint) {
        super(code, message, hint);
    }
}
