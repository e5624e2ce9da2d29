package dev.roost.cli.service;

import dev.roost.cli.client.CliErrorCode;
import dev.roost.cli.edit.TextFile;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.util.Optional;

/** Writes and removes the service file; keeps a backup of content that Roost did not write. */
public record ServiceFile(Path path, String text) {

    public boolean exists() {
        return Files.exists(path, LinkOption.NOFOLLOW_LINKS);
    }

    private interface FileStep {
        void run() throws IOException;
    }

    /** Returns the backup of other content, if any. */
    public Optional<Path> write() {
        return change("written", () -> new TextFile(path).write(text));
    }

    /** Returns the backup of other content, if any. */
    public Optional<Path> remove() {
        return change("removed", () -> Files.deleteIfExists(path));
    }

    private Optional<Path> change(String what, FileStep step) {
        try {
            var kept = keepOther();
            step.run();
            return kept;
        } catch (IOException e) {
            throw CliErrorCode.FILE_FAILED.error("%s cannot be %s: %s.".formatted(path, what, e));
        }
    }

    private Optional<Path> keepOther() throws IOException {
        if (!exists() || (Files.isRegularFile(path) && Files.readString(path).equals(text))) return Optional.empty();
        var kept = path.resolveSibling(path.getFileName() + ".bak");
        for (int i = 2; Files.exists(kept, LinkOption.NOFOLLOW_LINKS); i++)
            kept = path.resolveSibling(path.getFileName() + ".bak" + i);
        return Optional.of(Files.move(path, kept));
    }
}
