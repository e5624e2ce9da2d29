package dev.roost.daemon.telemetry;

import dev.roost.model.RunId;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Derives trace and span ids from the run's id, so every daemon uses the same ids for a run. */
record TraceIds(RunId run) {

    String trace() {
        return digest("trace", 16);
    }

    /** The id of a span; {@code what} is its kind, and {@code n} its attempt or turn. */
    String span(String what, long n) {
        return digest("%s/%d".formatted(what, n), 8);
    }

    private String digest(String what, int bytes) {
        try {
            var digest = MessageDigest.getInstance("SHA-256");
            var hash = digest.digest("roost/%s/%s".formatted(run, what).getBytes(StandardCharsets.UTF_8));
            return HexFormat.of().formatHex(hash, 0, bytes);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every JDK has SHA-256", e);
        }
    }
}
