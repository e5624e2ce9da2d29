package dev.roost.daemon.http;

import java.io.IOException;

/** What is served to browsers. It sees to it itself who is let in. */
public interface PageHandler {

    boolean has(String path);

    void serve(WebRequest request) throws IOException, InterruptedException;
}
