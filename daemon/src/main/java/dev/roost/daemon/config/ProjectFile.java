package dev.roost.daemon.config;

import dev.roost.base.ErrorCode;
import dev.roost.base.TextFormat;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.ArrayList;
import java.util.HexFormat;
import java.util.List;
import java.util.Optional;

/** A project's {@code .roost.toml}: its path, its content and the content's hash. */
record ProjectFile(Path path, String text, String sha256) {

    private static final String NAME = ".roost.toml";
    private static final int MOST_BYTES = TomlText.MOST_BYTES;

    SettingsTable.Source source() {
        return new SettingsTable.Source(ErrorCode.BAD_PROJECT, path.toString(), false);
    }

    /**
     * The nearest file in {@code directory} or above it, up to the root of the git checkout or the user's home. Outside of
     * both, only the directory itself is searched, because any user may own the directories above it.
     */
    static Optional<ProjectFile> nearest(Path directory, Path userHome) {
        if (!directory.isAbsolute() || !Files.isDirectory(directory)) return Optional.empty();
        try {
            for (var one : searchPath(directory.toRealPath(), userHome)) {
                var file = one.resolve(NAME);
                if (Files.isRegularFile(file)) return Optional.of(read(file));
            }
            return Optional.empty();
        } catch (IOException e) {
            return Optional.empty(); // an unreadable directory: the start of the run reports it
        }
    }

    private static List<Path> searchPath(Path directory, Path userHome) {
        var searchPath = new ArrayList<Path>();
        for (var at = directory; at != null; at = at.getParent()) {
            searchPath.add(at);
            if (at.equals(userHome) || isCheckout(at)) return searchPath;
        }
        return List.of(directory);
    }

    /** Uses git's own test, because some programs leave an empty .git directory outside of a checkout. */
    private static boolean isCheckout(Path directory) {
        var git = directory.resolve(".git");
        return Files.isRegularFile(git) || Files.exists(git.resolve("HEAD"));
    }

    private static ProjectFile read(Path file) {
        var source = new SettingsTable.Source(ErrorCode.BAD_PROJECT, file.toString(), false);
        try (var in = Files.newInputStream(file)) {
            var bytes = in.readNBytes(MOST_BYTES + 1);
            if (bytes.length > MOST_BYTES) {
                throw source.wrong("%s is longer than %d KiB.".formatted(file, MOST_BYTES / 1024), "Shorten it.");
            }
            return new ProjectFile(
                    file,
                    new String(bytes, StandardCharsets.UTF_8),
                    HexFormat.of()
                            .formatHex(MessageDigest.getInstance("SHA-256").digest(bytes)));
        } catch (IOException e) {
            throw source.wrong(
                    "%s cannot be read: %s.".formatted(file, TextFormat.why(e).replace(file + ": ", "")),
                    "Make it readable.");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException(e);
        }
    }
}
