package dev.roost.base;

/** The request is invalid; nothing was done. */
public final class BadInput extends RoostError {
    BadInput(ErrorCode code, String message, String hint) {
        super(code, message, hint);
    }
}
