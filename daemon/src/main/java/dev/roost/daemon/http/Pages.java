package dev.roost.daemon.http;

import java.io.IOException;

/** What is served to browsers. It sees to it itself who is let in. */
public interface Pages {

    boolean has(String path);

    void serve(Visit visit) throws IOException, InterruptedException;
}
