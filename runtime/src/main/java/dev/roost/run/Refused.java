package dev.roost.run;

/** The request makes sense, but a cap, a rule or a permission stands against it; nothing was done. */
public final class Refused extends RoostError {
    public Refused(String code, String message, String hint) {
        super(code, message, hint);
    }
}
