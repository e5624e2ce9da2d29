package dev.roost.worktrees;

import dev.roost.base.TextFormat;
import dev.roost.config.Project;
import dev.roost.config.ProjectLookup;
import dev.roost.config.WorktreePolicy;
import dev.roost.git.SafeMove;
import dev.roost.git.worktree.EnsureResult;
import dev.roost.home.AttemptDirectory;
import dev.roost.home.Home;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/** Sets up a new worktree: copies and links files of its checkout that git does not track, and writes the setup command. */
record WorktreeSetup(Home home, ProjectLookup projectLookup, WorktreePolicy policy) {

    /** Applies the setup. A file that cannot be copied or linked does not stop the run; the returned remarks name it. */
    List<String> apply(RunRecord run, AttemptDirectory attempt, EnsureResult ensureResult) throws IOException {
        var place = run.work().orElseThrow().place();
        Files.createDirectories(run.cwd());
        // a worktree unknown to the ledger was made by a daemon that died before the setup was complete
        boolean fresh = ensureResult.how() != EnsureResult.EnsureAction.AS_IT_WAS
                || run.work().filter(WorktreeRecord::isThere).isEmpty();
        var remarks = new ArrayList<String>();
        if (!fresh && !isSetupOpen(run)) return remarks;
        var project = projectLookup.at(place.origin());
        project.untrusted()
                .filter(Project.UntrustedSettings::making)
                .ifPresent(file -> remarks.add(file.withoutMaking()));
        var setupPolicy = project.setupPolicy().orElse(policy.setupPolicy());
        if (fresh) {
            var top = top(run);
            var temporary = attempt.path()
                    .resolve("giving"); // outside the worktree, so that no checkpoint contains a partial file
            Placement copy = (from, to) -> {
                SafeMove.delete(temporary);
                SafeMove.copy(from, temporary);
                Files.move(temporary, to, StandardCopyOption.ATOMIC_MOVE);
            };
            for (var name : setupPolicy.copy())
                put(top, place.path(), name, copy).ifPresent(remarks::add);
            for (var name : setupPolicy.link())
                put(top, place.path(), name, (from, to) -> Files.createSymbolicLink(to, from))
                        .ifPresent(remarks::add);
        }
        if (setupPolicy.setup().isPresent())
            attempt.setup().write(setupPolicy.setup().get());
        return remarks;
    }

    /** Whether an earlier attempt did not finish the setup. */
    private boolean isSetupOpen(RunRecord run) {
        for (int n = 1; n < run.latest().n(); n++)
            if (home.run(run.id()).attempt(n).setup().isOpen()) return true;
        return false;
    }

    /** The top directory of the caller's checkout. */
    private static Path top(RunRecord run) {
        var place = run.work().orElseThrow().place();
        var inside = place.path().relativize(run.cwd());
        var top = place.origin();
        int up = inside.toString().isEmpty() ? 0 : inside.getNameCount();
        for (int i = 0; i < up; i++) top = top.getParent() == null ? top : top.getParent();
        return top;
    }

    private interface Placement {
        void put(Path from, Path to) throws IOException;
    }

    /** Puts a file or directory of the checkout into the worktree, unless there is one; the remark says why it could not. */
    private static Optional<String> put(Path top, Path worktree, String name, Placement placement) {
        try {
            var from = inside(top, name);
            var to = worktree.resolve(name);
            if (Files.exists(to, LinkOption.NOFOLLOW_LINKS)) return Optional.empty();
            Files.createDirectories(to.getParent());
            placement.put(from, to);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of("%s was not copied or linked into the worktree: %s"
                    .formatted(TextFormat.printable(name), TextFormat.printable(e.toString())));
        }
    }

    /** The real path of {@code name}; throws if it leads out of the checkout, by a symlink for example. */
    private static Path inside(Path top, String name) throws IOException {
        var real = top.resolve(name).toRealPath();
        if (!real.startsWith(top.toRealPath())) throw new IOException("it leads out of the repository");
        return real;
    }
}
