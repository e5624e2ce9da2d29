package dev.roost.base;

/** No run in the caller's scope has this id, prefix or name. */
public final class NoSuchRun extends RoostError {
    NoSuchRun(ErrorCode code, String message, String hint) {
        super(code, message, hint);
    }

    public NoSuchRun(String given) {
        this(
                ErrorCode.NO_SUCH_RUN,
                "There is no run \"%s\".".formatted(TextFormat.printable(given)),
                ErrorCode.NO_SUCH_RUN.hint());
    }
}
