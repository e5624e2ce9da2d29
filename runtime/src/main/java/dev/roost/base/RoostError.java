package dev.roost.base;

/** An error in one shape for every surface: a stable code, a sentence, and a hint what to do next. */
public abstract sealed class RoostError extends RuntimeException permits BadInput, NoSuchRun, Refusal, Broken {

    private final ErrorCode code;
    private final String hint;

    RoostError(ErrorCode code, String message, String hint) {
        super(message);
        this.code = code;
        this.hint = hint;
    }

    public String code() {
        return code.code();
    }

    ErrorCode errorCode() {
        return code;
    }

    public String hint() {
        return hint;
    }

    /** Whether the same request may succeed later: the error comes from a disk or a store, and not from the request. */
    public boolean retryable() {
        return code.isRetryable();
    }

    public String sentence() {
        return String.valueOf(getMessage());
    }
}
