package dev.roost.worktrees;

import dev.roost.base.TextFormat;
import dev.roost.config.Project;
import dev.roost.config.ProjectLookup;
import dev.roost.config.WorktreePolicy;
import dev.roost.git.worktree.EnsureResult;
import dev.roost.home.AttemptDirectory;
import dev.roost.home.Home;
import dev.roost.home.RunDirectory;
import dev.roost.ledger.record.RunRecord;
import dev.roost.ledger.record.WorktreeRecord;
import java.io.IOException;
import java.nio.file.FileVisitResult;
import java.nio.file.Files;
import java.nio.file.LinkOption;
import java.nio.file.Path;
import java.nio.file.SimpleFileVisitor;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.BasicFileAttributes;
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
            for (var name : setupPolicy.copy())
                copy(top, place.path(), name, temporary).ifPresent(remarks::add);
            for (var name : setupPolicy.link()) link(top, place.path(), name).ifPresent(remarks::add);
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

    /** Copies a file or directory atomically. */
    private static Optional<String> copy(Path top, Path worktree, String name, Path temporary) {
        try {
            var from = inside(top, name);
            var to = worktree.resolve(name);
            if (Files.exists(to, LinkOption.NOFOLLOW_LINKS)) return Optional.empty();
            Files.createDirectories(to.getParent());
            new RunDirectory(temporary).delete();
            Files.walkFileTree(from, new SimpleFileVisitor<>() {
                @Override
                public FileVisitResult preVisitDirectory(Path directory, BasicFileAttributes attributes)
                        throws IOException {
                    Files.createDirectories(
                            temporary.resolve(from.relativize(directory).toString()));
                    return FileVisitResult.CONTINUE;
                }

                @Override
                public FileVisitResult visitFile(Path file, BasicFileAttributes attributes) throws IOException {
                    Files.copy(
                            file,
                            temporary.resolve(from.relativize(file).toString()),
                            LinkOption.NOFOLLOW_LINKS,
                            StandardCopyOption.COPY_ATTRIBUTES);
                    return FileVisitResult.CONTINUE;
                }
            });
            Files.move(temporary, to, StandardCopyOption.ATOMIC_MOVE);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(notApplied(name, e));
        }
    }

    private static Optional<String> link(Path top, Path worktree, String name) {
        try {
            var from = inside(top, name);
            var to = worktree.resolve(name);
            if (Files.exists(to, LinkOption.NOFOLLOW_LINKS)) return Optional.empty();
            Files.createDirectories(to.getParent());
            Files.createSymbolicLink(to, from);
            return Optional.empty();
        } catch (IOException e) {
            return Optional.of(notApplied(name, e));
        }
    }

    private static String notApplied(String name, IOException e) {
        return "%s was not copied or linked into the worktree: %s"
                .formatted(TextFormat.printable(name), TextFormat.printable(e.toString()));
    }

    /** The real path of {@code name}; throws if it leads out of the checkout, by a symlink for example. */
    private static Path inside(Path top, String name) throws IOException {
        var real = top.resolve(name).toRealPath();
        if (!real.startsWith(top.toRealPath())) throw new IOException("it leads out of the repository");
        return real;
    }
}
