package dev.roost.daemon.rest;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;

/** Serves the OpenAPI description of the API, from which client code can be generated. */
final class OpenApiRoute {

    static final String FILE = "openapi.json";
    private static final byte[] TEXT = read();

    private OpenApiRoute() {}

    private static byte[] read() {
        try (var in = Objects.requireNonNull(OpenApiRoute.class.getResourceAsStream(FILE))) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void serve(RestRequest call) throws IOException {
        call.request().answer(200, "application/json", TEXT);
    }
}
