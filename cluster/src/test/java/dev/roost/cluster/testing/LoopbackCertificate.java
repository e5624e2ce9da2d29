package dev.roost.cluster.testing;

import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;

/** A certificate for a server on loopback, signed by a new authority. */
public record LoopbackCertificate(Path authority, Path certificate, Path key) {

    public static LoopbackCertificate make(Path directory) throws IOException {
        var made = new LoopbackCertificate(
                directory.resolve("ca.crt"), directory.resolve("server.crt"), directory.resolve("server.key"));
        var authorityKey = directory.resolve("ca.key").toString();
        var request = directory.resolve("server.csr").toString();
        var names = Files.writeString(directory.resolve("names"), "subjectAltName=IP:127.0.0.1,DNS:localhost\n");
        openssl(
                List.of("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
                List.of("-subj", "/CN=Roost test authority", "-days", "30"),
                List.of("-keyout", authorityKey, "-out", made.authority.toString()));
        openssl(
                List.of("req", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes"),
                List.of("-subj", "/CN=localhost", "-keyout", made.key.toString(), "-out", request));
        openssl(
                List.of("x509", "-req", "-in", request, "-days", "30", "-CAcreateserial"),
                List.of("-CA", made.authority.toString(), "-CAkey", authorityKey),
                List.of("-extfile", names.toString(), "-out", made.certificate.toString()));
        return made;
    }

    @SafeVarargs
    private static void openssl(List<String>... arguments) throws IOException {
        var command = new java.util.ArrayList<>(List.of("openssl"));
        for (var some : arguments) command.addAll(some);
        try {
            var process = new ProcessBuilder(command).redirectErrorStream(true).start();
            var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
            if (process.waitFor() != 0) throw new AssertionError(command + " failed: " + output);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AssertionError("interrupted while openssl ran", e);
        }
    }
}
