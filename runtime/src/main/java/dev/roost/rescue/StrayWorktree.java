package dev.roost.rescue;

import java.nio.file.Path;
import java.time.Instant;
import java.util.List;
import java.util.Optional;

/**
 * A worktree in which no process runs.
 *
 * @param repository its main checkout
 * @param halfway the unfinished git operation: {@code rebase}, {@code merge} …
 */
public record StrayWorktree(
        Path repository,
        Path path,
        Optional<String> branch,
        String head,
        String subject,
        Optional<Instant> committed,
        List<String> changed,
        List<String> untracked,
        Optional<String> halfway) {

    public boolean dirty() {
        return !changed.isEmpty() || !untracked.isEmpty() || halfway.isPresent();
    }
}
