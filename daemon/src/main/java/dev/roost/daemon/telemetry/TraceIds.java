package dev.roost.daemon.telemetry;

import dev.roost.model.RunId;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;

/** Ids that follow from what they name, so that every daemon that ever speaks of a run speaks of the same trace. */
record TraceIds(RunId run) {

    String trace() {
        return digest("trace", 16);
    }

    /** The span of this attempt (or turn) that {@code what} names. */
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
