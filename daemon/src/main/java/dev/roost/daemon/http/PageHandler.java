package dev.roost.daemon.http;

import java.io.IOException;

/** Serves the page to browsers. It authenticates requests itself. */
public interface PageHandler {

    boolean has(String path);

    void serve(WebRequest request) throws IOException, InterruptedException;
}
