package dev.roost.base;

/** The request is invalid; nothing was done. */
public final class BadInput extends RoostError {
    public BadInput(String code, String message, String hint) {
        super(code, message, hint);
    }
}
