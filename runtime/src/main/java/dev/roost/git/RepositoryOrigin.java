package dev.roost.git;

import dev.roost.base.ErrorCode;
import dev.roost.base.RoostError;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Map;
import java.util.Optional;

/**
 * The repository, branch and commit from which a run's worktree is created, found from the caller's directory.
 *
 * @param top the top of the checkout
 * @param common the git directory, which all worktrees of the repository share
 * @param inside the caller's directory relative to the top; empty at the top
 * @param base the commit of HEAD
 * @param branch the branch of HEAD; empty for a detached HEAD
 */
public record RepositoryOrigin(Path top, Path common, Path inside, String base, Optional<String> branch) {

    public static RepositoryOrigin of(Path cwd) {
        return of(cwd, System.getenv());
    }

    public static RepositoryOrigin of(Path cwd, Map<String, String> environment) {
        if (!Files.isDirectory(cwd)) throw notARepository(cwd);
        var git = new Git(cwd, environment);
        var kind = git.ask("rev-parse", "--is-inside-work-tree");
        if (kind.err().contains("dubious ownership"))
            throw ErrorCode.NOT_YOUR_REPOSITORY.error(
                    "The repository at %s belongs to another user, so git will not work in it.".formatted(cwd));
        if (!kind.ok()) throw notARepository(cwd);
        if (!kind.line().equals("true"))
            throw ErrorCode.NO_CHECKOUT.error("%s is inside a repository but not in a checkout of it.".formatted(cwd));
        var head = git.commit("HEAD");
        if (head.isEmpty())
            throw ErrorCode.NO_COMMITS.error(
                    "The repository at %s has no commit that a worktree could start from.".formatted(cwd));
        var branch = git.ask("symbolic-ref", "--quiet", "--short", "HEAD");
        try {
            var top = Path.of(git.line("rev-parse", "--show-toplevel")).toRealPath();
            var common = cwd.resolve(git.line("rev-parse", "--git-common-dir")).toRealPath();
            return new RepositoryOrigin(top, common, top.relativize(cwd.toRealPath()), head.get(), branch.answer());
        } catch (IOException e) {
            throw notARepository(cwd);
        }
    }

    private static RoostError notARepository(Path cwd) {
        return ErrorCode.NOT_A_REPOSITORY.error("%s is not in a git repository.".formatted(cwd));
    }
}
