package dev.roost.base;

/** The request is valid, but a cap, a rule or a permission forbids it; nothing was done. */
public final class Refusal extends RoostError {
    Refusal(ErrorCode code, String message, String hint) {
        super(code, message, hint);
    }
}
