package dev.roost.daemon.http;

import dev.roost.base.BadInput;
import dev.roost.base.Broken;
import dev.roost.base.ErrorCode;
import dev.roost.base.NoSuchRun;
import dev.roost.base.Refusal;
import dev.roost.base.RoostError;
import java.util.Map;

/** An error with the headers of its response. */
public final class HttpError extends RuntimeException {

    private final RoostError why;
    private final Map<String, String> headers;

    public HttpError(RoostError why, Map<String, String> headers) {
        super(why);
        this.why = why;
        this.headers = headers;
    }

    public HttpError(RoostError why) {
        this(why, Map.of());
    }

    /** The status of a response with this error. */
    public static int status(RoostError error) {
        return switch (ErrorCode.of(error)) {
            case NO_TOKEN, BAD_TOKEN, TOKEN_EXPIRED, NOT_SIGNED_IN -> 401;
            case NO_SUCH_ROUTE -> 404;
            case BAD_METHOD -> 405;
            case BODY_TOO_LARGE -> 413;
            case BAD_CONTENT_TYPE -> 415;
            case TOO_MANY_FAILURES -> 429;
            case TOO_MANY_STREAMS,
                    NOT_READY_DISK,
                    NOT_READY_LEDGER_READ,
                    NOT_READY_LEDGER_WRITE,
                    NOT_READY_SETTLED,
                    NOT_READY_STOPPING -> 503;
            default ->
                switch (error) {
                    case BadInput _ -> 400;
                    case Refusal _ -> 403;
                    case NoSuchRun _ -> 404;
                    case Broken _ -> 500;
                };
        };
    }

    /** There is nothing at the address. */
    public static RoostError notFound() {
        return ErrorCode.NO_SUCH_ROUTE.error("There is nothing at this address.");
    }

    public int status() {
        return status(why);
    }

    public RoostError why() {
        return why;
    }

    public Map<String, String> headers() {
        return headers;
    }
}
