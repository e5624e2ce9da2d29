package dev.roost.worktrees;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.junit.jupiter.api.Assumptions.assumeTrue;

import dev.roost.run.Refused;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.StandardCopyOption;
import java.nio.file.attribute.FileTime;
import java.util.Optional;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** What was removed comes back byte for byte. */
class RestoreTest {

    @TempDir
    Path room;

    Repo repo;
    Worktrees worktrees;
    Worktree w;
    Repo inside;

    @BeforeEach
    void make() {
        repo = Repo.in(room);
        worktrees = repo.worktrees(new Worktrees.Limits(10_000, false));
        w = repo.make();
        inside = repo.at(w.path());
    }

    private Removed remove() {
        var removed = worktrees.remove(w, repo.kept, Repo.NOW);
        assertThat(w.path()).doesNotExist();
        assertThat(repo.git("worktree", "list")).doesNotContain(w.run().text());
        assertThat(Removing.aside(w)).doesNotExist();
        return removed;
    }

    private Path restore() {
        return worktrees.restore(w, w.path(), repo.kept, Repo.newest());
    }

    @Test
    void a_removal_that_a_crash_cut_short_is_undone_by_restoring() throws IOException {
        inside.write("new.txt", "x\n");
        worktrees.checkpoint(w, "test", Repo.NOW);
        Files.move(w.path(), Removing.aside(w), StandardCopyOption.ATOMIC_MOVE);
        Files.createDirectory(w.path()); // somebody looked for it

        assertThat(restore()).isEqualTo(w.path());
        assertThat(inside.read("new.txt")).isEqualTo("x\n");
        assertThat(Removing.aside(w)).doesNotExist();
    }

    /** Removes and restores; everything must be as it was. */
    private void thereAndBack() {
        var files = inside.files();
        var status = inside.status();
        var head = inside.git("rev-parse", "HEAD");
        var branch = inside.git("rev-parse", "--abbrev-ref", "HEAD");
        remove();
        repo.git("gc", "-q", "--prune=now");
        restore();
        assertThat(inside.files()).isEqualTo(files);
        assertThat(inside.status()).isEqualTo(status);
        assertThat(inside.git("rev-parse", "HEAD")).isEqualTo(head);
        assertThat(inside.git("rev-parse", "--abbrev-ref", "HEAD")).isEqualTo(branch);
        assertThat(repo.git("worktree", "list", "--porcelain")).contains("locked roost " + w.run());
        assertThat(repo.kept.resolve(w.run().text())).doesNotExist();
    }

    @Test
    void everything_a_directory_can_hold() throws IOException {
        inside.write("a.txt", "staged\n");
        inside.git("add", "a.txt");
        inside.write("a.txt", "staged and changed\n");
        inside.git("mv", "src/b.txt", "moved.txt");
        Files.delete(w.path().resolve("tool.sh"));
        inside.write("empty", "")
                .write("run.sh", "#!/bin/sh\n")
                .write("new line\nname", "x")
                .write("-dash", "y");
        inside.write("with \"quotes\" and\ttabs", "z").write("ünï", "u");
        w.path().resolve("run.sh").toFile().setExecutable(true);
        Files.createSymbolicLink(w.path().resolve("link"), Path.of("a.txt"));
        Files.createSymbolicLink(w.path().resolve("dangling"), Path.of("../no/where"));
        Files.write(new GitPath("not-utf8-\u00ff\u00fe").in(w.path()), new byte[] {0, 1, (byte) 0xff});
        inside.write("deep/er/file", "deep");

        thereAndBack();

        assertThat(inside.files().get("not-utf8-\u00ff\u00fe")).isEqualTo("- \0\u0001\u00ff");
        assertThat(inside.git("show", ":a.txt")).isEqualTo("staged");
    }

    @Test
    void what_a_checkpoint_leaves_out_goes_to_kept_and_comes_back() throws IOException {
        inside.write(".gitignore", "*.log\nnode_modules/\n");
        inside.commit("ignore");
        inside.write("debug.log", "log").write("node_modules/x/y.js", "js");
        inside.write("big.bin", new byte[20_000]).write("a.txt", new byte[20_001]);
        Files.write(new GitPath("odd-\u00ff.log").in(w.path()), new byte[] {1});

        var files = inside.files();
        var status = inside.status();
        var removed = remove();
        var kept = repo.kept.resolve(w.run().text()).resolve("files");
        assertThat(kept.resolve("big.bin")).hasSize(20_000);
        assertThat(kept.resolve("a.txt")).hasSize(20_001);
        assertThat(kept.resolve("node_modules/x/y.js")).hasContent("js");
        assertThat(removed.moved()).hasSize(5);

        var copy = repo.room.resolve("copy");
        worktrees.restore(w, copy, repo.kept, Repo.newest());
        assertThat(repo.at(copy).files()).isEqualTo(files);
        assertThat(repo.at(copy).git("rev-parse", "--abbrev-ref", "HEAD")).isEqualTo("HEAD");
        assertThat(kept.resolve("big.bin")).as("copied, not moved").hasSize(20_000);

        restore();
        assertThat(inside.files()).isEqualTo(files);
        assertThat(inside.status()).isEqualTo(status);
        assertThat(repo.kept.resolve(w.run().text())).doesNotExist();
    }

    @Test
    void a_rebase_that_stopped_goes_on_afterwards() {
        conflictingRebase();
        thereAndBack();

        inside.write("a.txt", "resolved\n");
        inside.git("add", "a.txt");
        inside.git("rebase", "--continue");

        assertThat(inside.git("log", "--format=%s")).isEqualTo("own 2\nown 1\ntheirs\nfirst");
        assertThat(inside.git("rev-parse", "--abbrev-ref", "HEAD")).isEqualTo(w.branch());
    }

    @Test
    void a_rebase_whose_directory_was_lost_goes_on_from_the_checkpoint_alone() throws IOException {
        conflictingRebase();
        var files = inside.files();
        var status = inside.status();
        worktrees.checkpoint(w, "test", Repo.NOW);
        Moving.delete(w.path());
        repo.git("worktree", "unlock", w.path().toString());
        repo.git("worktree", "prune");
        repo.git("gc", "-q", "--prune=now");

        worktrees.ensure(w, repo.kept);

        assertThat(inside.files()).isEqualTo(files);
        assertThat(inside.status()).isEqualTo(status);
        inside.write("a.txt", "resolved\n");
        inside.git("add", "a.txt");
        inside.git("rebase", "--continue");
        assertThat(inside.git("log", "--format=%s")).isEqualTo("own 2\nown 1\ntheirs\nfirst");
    }

    private void conflictingRebase() {
        inside.write("a.txt", "own\n").commit("own 1");
        inside.write("more.txt", "more\n").commit("own 2");
        repo.write("a.txt", "theirs\n").commit("theirs");
        assertThat(inside.tryGit("rebase", "main").ok()).isFalse();
    }

    @Test
    void a_merge_and_a_cherry_pick_that_stopped_go_on_afterwards() {
        inside.write("a.txt", "own\n").commit("own");
        repo.write("a.txt", "theirs\n").commit("theirs");
        assertThat(inside.tryGit("merge", "main").ok()).isFalse();
        inside.write("untracked", "u");
        thereAndBack();
        inside.write("a.txt", "merged\n");
        inside.git("add", "a.txt");
        inside.git("commit", "-q", "--no-edit");
        assertThat(inside.git("log", "-1", "--format=%p").split(" ")).hasSize(2);

        repo.write("a.txt", "again\n").commit("again");
        assertThat(inside.tryGit("cherry-pick", "main").ok()).isFalse();
        thereAndBack();
        inside.write("a.txt", "picked\n");
        inside.git("add", "a.txt");
        inside.git("-c", "core.editor=true", "cherry-pick", "--continue");
        assertThat(inside.git("log", "-1", "--format=%s")).isEqualTo("again");
    }

    @Test
    void line_ends_come_back_as_they_were() {
        repo.git("config", "core.autocrlf", "true");
        w = repo.make();
        inside = repo.at(w.path());
        assertThat(inside.read("src/b.txt")).isEqualTo("two\r\n");
        inside.write("a.txt", "mixed\r\nline\nends\r\n")
                .write("new.txt", "only\nlf\n")
                .write("crlf.txt", "cr\r\nlf\r\n");
        inside.git("add", "new.txt");

        thereAndBack();
    }

    @Test
    void what_a_filter_changes_comes_back_as_it_was() {
        repo.git("config", "filter.shout.clean", "tr a-z A-Z");
        repo.git("config", "filter.shout.smudge", "tr A-Z a-z");
        inside.write(".gitattributes", "*.shout filter=shout\n*.id ident\n*.wide working-tree-encoding=UTF-16LE\n");
        inside.write("x.shout", "Mixed Case\n").write("y.id", "$Id: by hand $\n");
        inside.write("z.wide", "wide\n".getBytes(java.nio.charset.StandardCharsets.UTF_16LE));

        thereAndBack();

        assertThat(inside.read("x.shout")).isEqualTo("Mixed Case\n");
    }

    @Test
    void a_branch_that_moved_on_meanwhile_is_left_where_it_is() {
        inside.write("a.txt", "own\n").commit("own");
        inside.write("a.txt", "dirty\n");
        var head = inside.git("rev-parse", "HEAD");
        remove();
        repo.git("branch", "-f", w.branch(), "main");

        restore();

        assertThat(repo.git("rev-parse", w.branch())).isEqualTo(repo.git("rev-parse", "main"));
        assertThat(inside.git("rev-parse", "HEAD")).isEqualTo(head);
        assertThat(inside.git("rev-parse", "--abbrev-ref", "HEAD")).isEqualTo("HEAD");
        assertThat(inside.read("a.txt")).isEqualTo("dirty\n");
    }

    @Test
    void an_older_one_by_its_number() {
        inside.write("a.txt", "first\n");
        worktrees.checkpoint(w, "one", Repo.NOW);
        inside.write("a.txt", "second\n");
        worktrees.checkpoint(w, "two", Repo.NOW);

        var copy = worktrees.restore(w, repo.room.resolve("copy"), repo.kept, Optional.of(1));

        assertThat(repo.at(copy).read("a.txt")).isEqualTo("first\n");
        assertThat(inside.read("a.txt")).isEqualTo("second\n");
        assertThatThrownBy(() -> worktrees.restore(w, repo.room.resolve("none"), repo.kept, Optional.of(9)))
                .isInstanceOfSatisfying(Refused.class, e -> assertThat(e.code()).isEqualTo("no_checkpoint"));
    }

    @Test
    void nothing_is_ever_overwritten() {
        worktrees.checkpoint(w, "one", Repo.NOW);
        inside.write("later", "later");

        assertThatThrownBy(this::restore)
                .isInstanceOfSatisfying(Refused.class, e -> assertThat(e.code()).isEqualTo("not_empty"));
        assertThat(inside.read("later")).isEqualTo("later");
    }

    @Test
    void a_nested_clone_with_own_work_holds_the_removal_up_and_a_clean_one_is_kept() throws IOException {
        repo.git("init", "-q", "--bare", "../lib.git");
        inside.git("clone", "-q", repo.room.resolve("lib.git").toString(), "clone");
        var clone = repo.at(w.path().resolve("clone"));
        clone.write("c.txt", "clone\n");
        assertNotKept("not committed");
        clone.commit("clone");
        assertNotKept("on none of its remotes");
        clone.git("push", "-q", "origin", "HEAD");
        var files = inside.files();

        remove();
        assertThat(repo.kept.resolve(w.run().text()).resolve("files/clone/.git"))
                .isDirectory();
        restore();

        assertThat(inside.files().keySet()).containsExactlyElementsOf(files.keySet());
        assertThat(clone.status()).isEmpty();
    }

    @Test
    void a_populated_submodule_with_own_work_holds_the_removal_up_and_a_clean_one_comes_back() {
        repo.git("init", "-q", "../lib");
        repo.at(repo.room.resolve("lib")).write("lib.txt", "lib\n").commit("lib");
        repo.git("submodule", "--quiet", "add", repo.room.resolve("lib").toString(), "lib");
        repo.commit("with lib");
        w = repo.make();
        inside = repo.at(w.path());
        inside.git("submodule", "--quiet", "update", "--init");
        var lib = repo.at(w.path().resolve("lib"));
        lib.write("lib.txt", "changed\n");
        assertNotKept("not committed");
        lib.commit("own");
        assertNotKept("on none of its remotes");
        lib.git("push", "-q", "origin", "HEAD:refs/heads/own");
        lib.git("fetch", "-q");

        var status = inside.status();
        worktrees.remove(w, repo.kept, Repo.NOW);
        assertThat(w.path()).doesNotExist();
        restore();

        assertThat(inside.status()).isEqualTo(status);
        assertThat(lib.read("lib.txt")).isEqualTo("changed\n");
        assertThat(lib.git("log", "-1", "--format=%s")).isEqualTo("own");
    }

    private void assertNotKept(String why) {
        assertThatThrownBy(() -> worktrees.remove(w, repo.kept, Repo.NOW)).isInstanceOfSatisfying(Refused.class, e -> {
            assertThat(e.code()).isEqualTo("work_not_kept");
            assertThat(e.sentence()).contains(why);
        });
        assertThat(worktrees.isIntact(w)).isTrue();
    }

    @Test
    void pipes_and_odd_git_directories_are_not_lost_either() throws Exception {
        assertThat(new ProcessBuilder("mkfifo", w.path().resolve("pipe").toString())
                        .start()
                        .waitFor())
                .isZero();
        inside.write("odd/.git/not-a-repository", "x");

        remove();
        restore();

        assertThat(inside.files()).containsKey("pipe").containsKey("odd/.git/not-a-repository");
    }

    @Test
    void kept_may_lie_on_another_filesystem() throws IOException {
        var memory = Path.of("/dev/shm");
        assumeTrue(Files.isWritable(memory) && !Files.getFileStore(memory).equals(Files.getFileStore(repo.room)));
        var kept = Files.createTempDirectory(memory, "roost-kept");
        try {
            inside.write(".gitignore", "*.log\ncache/\n").write("x.log", "log").write("cache/deep/y", "y");
            w.path().resolve("cache/deep/y").toFile().setExecutable(true, false);
            Files.createSymbolicLink(w.path().resolve("cache/link"), Path.of("nowhere"));
            var files = inside.files();
            worktrees.remove(w, kept, Repo.NOW);
            assertThat(kept.resolve(w.run().text()).resolve("files/cache/deep/y"))
                    .hasContent("y");

            worktrees.restore(w, w.path(), kept, Repo.newest());

            assertThat(inside.files()).isEqualTo(files);
            assertThat(kept.resolve(w.run().text())).doesNotExist();
        } finally {
            Moving.delete(kept);
        }
    }

    @Test
    void a_worktree_of_last_week_is_removed_like_any_other() throws IOException {
        inside.write("new.txt", "new\n");
        var pointer = Admin.of(w.path(), w.common()).orElseThrow().dir().resolve("gitdir");
        Files.setLastModifiedTime(pointer, FileTime.from(Repo.NOW.minusSeconds(1_000_000)));

        thereAndBack();
    }

    // ---- removals cut short

    @Test
    void a_removal_that_died_before_its_files_went_is_undone() throws IOException {
        inside.write("ignored.log", "log").write(".gitignore", "*.log\n");
        var files = inside.files();
        Files.createDirectories(repo.kept.resolve(w.run().text()).resolve("files"));
        Files.move(
                w.path().resolve("ignored.log"),
                repo.kept.resolve(w.run().text()).resolve("files/ignored.log"),
                StandardCopyOption.ATOMIC_MOVE);
        Files.move(w.path(), Removing.aside(w), StandardCopyOption.ATOMIC_MOVE);

        assertThat(worktrees.ensure(w, repo.kept).how()).isEqualTo(Made.How.AS_IT_WAS);

        assertThat(inside.files()).isEqualTo(files);
    }

    @Test
    void a_removal_that_died_while_its_files_went_is_ended() throws IOException {
        inside.write("a.txt", "dirty\n");
        var files = inside.files();
        var c = worktrees.checkpoint(w, "test", Repo.NOW);
        Files.move(w.path(), Removing.aside(w), StandardCopyOption.ATOMIC_MOVE);
        Files.delete(Removing.aside(w).resolve(".git"));
        Files.delete(Removing.aside(w).resolve("tool.sh"));

        assertThat(worktrees.ensure(w, repo.kept).ref()).contains(c.ref());

        assertThat(inside.files()).isEqualTo(files);
        assertThat(Removing.aside(w)).doesNotExist();
    }

    @Test
    void removing_twice_is_removing_once() {
        inside.write("new.txt", "new\n");
        var first = remove();
        var second = remove();

        assertThat(second.checkpoint().orElseThrow().commit())
                .isEqualTo(first.checkpoint().orElseThrow().commit());
    }
}
