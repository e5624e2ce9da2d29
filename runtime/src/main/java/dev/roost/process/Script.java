package dev.roost.process;

import dev.roost.home.Home;
import dev.roost.home.PrivateFiles;
import dev.roost.os.Kernel;
import java.io.IOException;
import java.io.InputStream;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.HexFormat;
import java.util.Objects;

/** Installs a shell script of Roost in the home, preceded by the functions that ask the kernel (linux.sh or portable.sh). */
public final class Script {

    private Script() {}

    /** A shell reads its script while it runs it, so each version of the script gets its own file, which never changes. */
    public static Path install(Home home, String name) throws IOException {
        var text = (resource(Kernel.here().script()) + resource(name + ".sh")).getBytes(StandardCharsets.UTF_8);
        var script = home.library().resolve(name + "-" + fingerprint(text) + ".sh");
        if (!PrivateFiles.exists(script)) {
            var temporary = Files.createTempFile(home.library(), name, ".tmp");
            PrivateFiles.writeDurably(temporary, text);
            Files.move(temporary, script);
        }
        return script;
    }

    private static String resource(String name) throws IOException {
        try (InputStream in = Objects.requireNonNull(Script.class.getResourceAsStream(name))) {
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        }
    }

    public static String fingerprint(String text) {
        return fingerprint(text.getBytes(StandardCharsets.UTF_8));
    }

    private static String fingerprint(byte[] text) {
        try {
            return HexFormat.of().formatHex(MessageDigest.getInstance("SHA-256").digest(text), 0, 6);
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
