package dev.roost.base;

/** The request makes sense, but a cap, a rule or a permission stands against it; nothing was done. */
public final class Refusal extends RoostError {
    public Refusal(String code, String message, String hint) {
        super(code, message, hint);
    }
}
