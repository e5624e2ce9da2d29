package dev.roost.daemon.http;

import dev.roost.run.BadInput;
import dev.roost.run.Broken;
import dev.roost.run.NoSuchRun;
import dev.roost.run.Refused;
import dev.roost.run.RoostError;
import java.util.Map;

/** An error with HTTP's own number for it. */
final class Rejected extends RuntimeException {

    private final int status;
    private final RoostError why;
    private final Map<String, String> headers;

    Rejected(int status, RoostError why, Map<String, String> headers) {
        super(why);
        this.status = status;
        this.why = why;
        this.headers = headers;
    }

    Rejected(int status, RoostError why) {
        this(status, why, Map.of());
    }

    static Rejected of(RoostError error) {
        return new Rejected(
                switch (error) {
                    case BadInput _ -> 400;
                    case Refused _ -> 403;
                    case NoSuchRun _ -> 404;
                    case Broken _ -> 500;
                },
                error);
    }

    int status() {
        return status;
    }

    RoostError why() {
        return why;
    }

    Map<String, String> headers() {
        return headers;
    }
}
