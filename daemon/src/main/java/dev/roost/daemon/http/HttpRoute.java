package dev.roost.daemon.http;

import java.io.IOException;

/** Answers the requests for some paths. */
public interface HttpRoute {

    /** Whether the request is for this route; it is not authenticated yet. */
    boolean matches(WebRequest request);

    void serve(WebRequest request, Authenticator authenticator) throws IOException, InterruptedException;
}
