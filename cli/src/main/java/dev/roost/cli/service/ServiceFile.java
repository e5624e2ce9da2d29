package dev.roost.cli.service;

import dev.roost.cli.client.CliError;
import dev.roost.cli.edit.TextFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/** Writes and removes the service file; keeps a backup of content that Roost did not write. */
public final class ServiceFile {

    private final Path path;
    private final String text;

    public ServiceFile(Path path, String text) {
        this.path = path;
        this.text = text;
    }

    public boolean exists() {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    /** Returns the backup of other content, if any. */
    public Optional<Path> write() {
        try {
            var kept = keepOther();
            new TextFile(path).write(text);
            return kept;
        } catch (IOException e) {
            throw failed("written", e);
        }
    }

    /** Returns the backup of other content, if any. */
    public Optional<Path> remove() {
        try {
            var kept = keepOther();
            Files.deleteIfExists(path);
            return kept;
        } catch (IOException e) {
            throw failed("removed", e);
        }
    }

    private Optional<Path> keepOther() throws IOException {
        if (!exists() || (Files.isRegularFile(path) && Files.readString(path).equals(text))) return Optional.empty();
        var kept = path.resolveSibling(path.getFileName() + ".bak");
        for (int i = 2; Files.exists(kept, LinkOption.NOFOLLOW_LINKS); i++) {
            kept = path.resolveSibling(path.getFileName() + ".bak" + i);
        }
        return Optional.of(Files.move(path, kept));
    }

    private CliError failed(String what, IOException e) {
        return new CliError(
                CliError.FAILED,
                "file_failed",
                "%s cannot be %s: %s.".formatted(path, what, e),
                "Check the directory and its permissions.");
    }
}
