package dev.roost.base;

/** The caller asked for something that makes no sense; nothing was done. */
public final class BadInput extends RoostError {
    public BadInput(String code, String message, String hint) {
        super(code, message, hint);
    }
}
