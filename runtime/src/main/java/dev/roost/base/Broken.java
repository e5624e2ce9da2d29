package dev.roost.base;

/** A resource that Roost depends on failed: the disk, the home, the ledger. No accepted run is lost. */
public final class Broken extends RoostError {
    private final boolean retryable;

    public Broken(String code, String message, String hint) {
        this(code, message, hint, false);
    }

    private Broken(String code, String message, String hint, boolean retryable) {
        super(code, message, hint);
        this.retryable = retryable;
    }

    /** A resource that is missing for now: a full disk, a ledger that does not answer. */
    public static Broken temporary(String code, String message, String hint) {
        return new Broken(code, message, hint, true);
    }

    @Override
    public boolean retryable() {
        return retryable;
    }
}
