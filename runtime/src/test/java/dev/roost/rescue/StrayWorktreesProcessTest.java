package dev.roost.rescue;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.rescue.ScanWindow.LiveProcesses;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** Uses real git, and a real process whose working directory is in a worktree. */
@Tag("portable")
class StrayWorktreesProcessTest {

    @TempDir
    Path directory;

    private Path repository;

    @BeforeEach
    void repository() throws Exception {
        repository = Files.createDirectory(directory.resolve("repository")).toRealPath();
        git(repository, "init", "-q", "-b", "main");
        Files.writeString(repository.resolve("file"), "one\n");
        git(repository, "add", ".");
        git(repository, "commit", "-q", "-m", "the first");
    }

    private static void git(Path where, String... words) throws Exception {
        var command = new ArrayList<>(List.of("git", "-c", "user.name=a", "-c", "user.email=a@b"));
        command.addAll(List.of(words));
        var process = new ProcessBuilder(command)
                .directory(where.toFile())
                .redirectErrorStream(true)
                .start();
        var output = new String(process.getInputStream().readAllBytes(), StandardCharsets.UTF_8);
        assertThat(process.waitFor()).as("%s: %s", command, output).isZero();
    }

    private Path worktree(String branch) throws Exception {
        var path = repository.resolveSibling(branch.replace('/', '-'));
        git(repository, "worktree", "add", "-q", "-b", branch, path.toString());
        return path;
    }

    private List<StrayWorktree> strays() {
        return new StrayWorktrees(LiveProcesses.scan()).of(List.of(repository, directory));
    }

    @Test
    void a_worktree_without_a_process_is_listed_with_its_uncommitted_changes() throws Exception {
        var path = worktree("fix/it");
        Files.writeString(path.resolve("file"), "two\n");
        Files.writeString(path.resolve("näw file"), "new\n");

        assertThat(strays()).singleElement().satisfies(strayWorktree -> {
            assertThat(strayWorktree.path()).isEqualTo(path);
            assertThat(strayWorktree.repository()).isEqualTo(repository);
            assertThat(strayWorktree.branch()).contains("fix/it");
            assertThat(strayWorktree.subject()).isEqualTo("the first");
            assertThat(strayWorktree.committed()).isPresent();
            assertThat(strayWorktree.changed()).containsExactly("file");
            assertThat(strayWorktree.untracked()).containsExactly("näw file");
            assertThat(strayWorktree.dirty()).isTrue();
        });
    }

    @Test
    void roosts_own_worktrees_and_the_main_checkout_are_not_stray() throws Exception {
        worktree("roost/r_000000000000");
        assertThat(strays()).isEmpty();
        assertThat(new StrayWorktrees(LiveProcesses.scan()).of(List.of(directory.resolve("gone"))))
                .isEmpty();
    }

    @Test
    void a_worktree_with_a_process_in_it_is_not_stray() throws Exception {
        var path = worktree("busy");
        var process = new ProcessBuilder("sleep", "60")
                .directory(Files.createDirectory(path.resolve("below")).toFile())
                .start();
        try {
            assertThat(strays()).isEmpty();
        } finally {
            process.destroyForcibly().waitFor();
        }
        assertThat(strays()).hasSize(1);
    }

    @Test
    void an_unfinished_git_operation_is_reported() throws Exception {
        var path = worktree("half");
        Files.writeString(path.resolve("file"), "theirs\n");
        git(path, "commit", "-q", "-am", "theirs");
        Files.writeString(repository.resolve("file"), "ours\n");
        git(repository, "commit", "-q", "-am", "ours");
        var rebase = new ProcessBuilder("git", "-c", "user.name=a", "-c", "user.email=a@b", "rebase", "main")
                .directory(path.toFile())
                .redirectErrorStream(true)
                .start();
        rebase.getInputStream().readAllBytes();
        assertThat(rebase.waitFor()).isNotZero();

        assertThat(strays()).singleElement().satisfies(strayWorktree -> {
            assertThat(strayWorktree.halfway()).contains("rebase");
            assertThat(strayWorktree.changed()).containsExactly("file");
        });
    }

    @Test
    void the_search_changes_nothing_in_the_repository() throws Exception {
        var path = worktree("quiet");
        Files.writeString(path.resolve("file"), "two\n");
        var before = snapshot();
        strays();
        assertThat(snapshot()).isEqualTo(before);
    }

    private List<String> snapshot() throws Exception {
        try (var files = Files.walk(directory)) {
            var all = new ArrayList<String>();
            for (var file : files.sorted().toList()) all.add(file + " " + Files.getLastModifiedTime(file));
            return all;
        }
    }
}
