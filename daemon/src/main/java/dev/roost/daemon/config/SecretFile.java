package dev.roost.daemon.config;

import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.EnumSet;
import java.util.Set;

/** A file with a secret, readable by its owner only. It is read at each use and never cached. */
public record SecretFile(Path path) {

    private static final Set<PosixFilePermission> ALLOWED_PERMISSIONS =
            EnumSet.of(PosixFilePermission.OWNER_READ, PosixFilePermission.OWNER_WRITE);
    private static final int MOST_BYTES = 4096;

    /** The content without surrounding white space. An error names the file's problem and never its content. */
    public byte[] read() {
        try {
            if (!Files.isRegularFile(path)) throw wrong("is no file");
            if (!ALLOWED_PERMISSIONS.containsAll(Files.getPosixFilePermissions(path)))
                throw wrong("can be used by others");
            if (Files.size(path) > MOST_BYTES) throw wrong("is too long");
            var secret = new String(Files.readAllBytes(path), StandardCharsets.ISO_8859_1).strip();
            if (secret.isEmpty()) throw wrong("is empty");
            return secret.getBytes(StandardCharsets.ISO_8859_1);
        } catch (IOException e) {
            throw wrong("cannot be read");
        }
    }

    private RoostError wrong(String problem) {
        return ErrorCode.BAD_SECRET_FILE.error(
                "The file %s with the webhook's secret %s.".formatted(path, problem),
                "Put the secret there, and then: chmod 600 %s".formatted(path));
    }
}
