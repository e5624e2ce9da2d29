package dev.roost.daemon.http;

import dev.roost.base.BadInput;
import dev.roost.base.Broken;
import dev.roost.base.NoSuchRun;
import dev.roost.base.Refusal;
import dev.roost.base.RoostError;
import java.util.Map;

/** An error with its HTTP status. */
public final class HttpError extends RuntimeException {

    private final int status;
    private final RoostError why;
    private final Map<String, String> headers;

    public HttpError(int status, RoostError why, Map<String, String> headers) {
        super(why);
        this.status = status;
        this.why = why;
        this.headers = headers;
    }

    public HttpError(int status, RoostError why) {
        this(status, why, Map.of());
    }

    public static HttpError of(RoostError error) {
        int status = switch (error) {
            case BadInput _ -> 400;
            case Refusal _ -> 403;
            case NoSuchRun _ -> 404;
            case Broken _ -> 500;
        };
        return new HttpError(status, error);
    }

    /** There is nothing at the address. */
    public static HttpError notFound() {
        return new HttpError(
                404,
                new BadInput(
                        "no_such_route", "There is nothing at this address.", "docs/protocol.md lists the routes."));
    }

    public int status() {
        return status;
    }

    public RoostError why() {
        return why;
    }

    public Map<String, String> headers() {
        return headers;
    }
}
