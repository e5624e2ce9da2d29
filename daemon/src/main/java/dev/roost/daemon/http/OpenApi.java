package dev.roost.daemon.http;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.util.Objects;

/** The description of the API, for programs that write programs. */
final class OpenApi {

    static final String FILE = "openapi.json";
    private static final byte[] TEXT = read();

    private OpenApi() {}

    private static byte[] read() {
        try (var in = Objects.requireNonNull(OpenApi.class.getResourceAsStream(FILE))) {
            return in.readAllBytes();
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }

    static void serve(ApiCall call) throws IOException {
        call.visit().answer(200, "application/json", TEXT);
    }
}
