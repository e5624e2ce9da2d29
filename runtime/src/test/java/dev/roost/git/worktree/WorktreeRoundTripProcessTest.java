package dev.roost.git.worktree;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import dev.roost.base.Refusal;
import dev.roost.git.GitPath;
import dev.roost.git.SafeMove;
import dev.roost.git.SampleRepository;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** A restore brings back the files of a removed worktree byte for byte. */
class WorktreeRoundTripProcessTest extends WorktreeRoundTripFixture {

    @Test
    void every_kind_of_file_and_file_name_is_restored() throws IOException {
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

        removeAndRestore();

        assertThat(inside.files().get("not-utf8-\u00ff\u00fe")).isEqualTo("- \0\u0001\u00ff");
        assertThat(inside.git("show", ":a.txt")).isEqualTo("staged");
    }

    @Test
    void files_omitted_from_the_checkpoint_are_moved_to_kept_and_restored() throws IOException {
        inside.write(".gitignore", "*.log\nnode_modules/\n");
        inside.commit("ignore");
        inside.write("debug.log", "log").write("node_modules/x/y.js", "js");
        inside.write("big.bin", new byte[20_000]).write("a.txt", new byte[20_001]);
        Files.write(new GitPath("odd-\u00ff.log").in(w.path()), new byte[] {1});

        var files = inside.files();
        var status = inside.status();
        var removeResult = remove();
        var kept = sampleRepository.kept.resolve(w.run().text()).resolve("files");
        assertThat(kept.resolve("big.bin")).hasSize(20_000);
        assertThat(kept.resolve("a.txt")).hasSize(20_001);
        assertThat(kept.resolve("node_modules/x/y.js")).hasContent("js");
        assertThat(removeResult.moved()).hasSize(5);

        var copy = sampleRepository.room.resolve("copy");
        worktrees.restore(w, copy, sampleRepository.kept, SampleRepository.newest());
        assertThat(sampleRepository.at(copy).files()).isEqualTo(files);
        assertThat(sampleRepository.at(copy).git("rev-parse", "--abbrev-ref", "HEAD"))
                .isEqualTo("HEAD");
        assertThat(kept.resolve("big.bin")).as("copied, not moved").hasSize(20_000);

        restore();
        assertThat(inside.files()).isEqualTo(files);
        assertThat(inside.status()).isEqualTo(status);
        assertThat(sampleRepository.kept.resolve(w.run().text())).doesNotExist();
    }

    @Test
    void a_stopped_rebase_can_continue_after_the_restore() {
        conflictingRebase();
        removeAndRestore();

        inside.write("a.txt", "resolved\n");
        inside.git("add", "a.txt");
        inside.git("rebase", "--continue");

        assertThat(inside.git("log", "--format=%s")).isEqualTo("own 2\nown 1\ntheirs\nfirst");
        assertThat(inside.git("rev-parse", "--abbrev-ref", "HEAD")).isEqualTo(w.branch());
    }

    @Test
    void a_stopped_rebase_can_continue_from_the_checkpoint_of_a_lost_worktree() throws IOException {
        conflictingRebase();
        var files = inside.files();
        var status = inside.status();
        worktrees.checkpoint(w, "test", SampleRepository.NOW);
        SafeMove.delete(w.path());
        sampleRepository.git("worktree", "unlock", w.path().toString());
        sampleRepository.git("worktree", "prune");
        sampleRepository.git("gc", "-q", "--prune=now");

        worktrees.ensure(w, sampleRepository.kept);

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
        sampleRepository.write("a.txt", "theirs\n").commit("theirs");
        assertThat(inside.tryGit("rebase", "main").ok()).isFalse();
    }

    @Test
    void a_stopped_merge_or_cherry_pick_can_continue_after_the_restore() {
        inside.write("a.txt", "own\n").commit("own");
        sampleRepository.write("a.txt", "theirs\n").commit("theirs");
        assertThat(inside.tryGit("merge", "main").ok()).isFalse();
        inside.write("untracked", "u");
        removeAndRestore();
        inside.write("a.txt", "merged\n");
        inside.git("add", "a.txt");
        inside.git("commit", "-q", "--no-edit");
        assertThat(inside.git("log", "-1", "--format=%p").split(" ")).hasSize(2);

        sampleRepository.write("a.txt", "again\n").commit("again");
        assertThat(inside.tryGit("cherry-pick", "main").ok()).isFalse();
        removeAndRestore();
        inside.write("a.txt", "picked\n");
        inside.git("add", "a.txt");
        inside.git("-c", "core.editor=true", "cherry-pick", "--continue");
        assertThat(inside.git("log", "-1", "--format=%s")).isEqualTo("again");
    }

    @Test
    void line_ends_are_restored_unchanged() {
        sampleRepository.git("config", "core.autocrlf", "true");
        w = sampleRepository.make();
        inside = sampleRepository.at(w.path());
        assertThat(inside.read("src/b.txt")).isEqualTo("two\r\n");
        inside.write("a.txt", "mixed\r\nline\nends\r\n")
                .write("new.txt", "only\nlf\n")
                .write("crlf.txt", "cr\r\nlf\r\n");
        inside.git("add", "new.txt");

        removeAndRestore();
    }

    @Test
    void files_that_a_filter_converts_are_restored_unchanged() {
        sampleRepository.git("config", "filter.shout.clean", "tr a-z A-Z");
        sampleRepository.git("config", "filter.shout.smudge", "tr A-Z a-z");
        inside.write(".gitattributes", "*.shout filter=shout\n*.id ident\n*.wide working-tree-encoding=UTF-16LE\n");
        inside.write("x.shout", "Mixed Case\n").write("y.id", "$Id: by hand $\n");
        inside.write("z.wide", "wide\n".getBytes(StandardCharsets.UTF_16LE));

        removeAndRestore();

        assertThat(inside.read("x.shout")).isEqualTo("Mixed Case\n");
    }

    @Test
    void a_branch_that_moved_since_the_removal_is_not_moved_back() {
        inside.write("a.txt", "own\n").commit("own");
        inside.write("a.txt", "dirty\n");
        var head = inside.git("rev-parse", "HEAD");
        remove();
        sampleRepository.git("branch", "-f", w.branch(), "main");

        restore();

        assertThat(sampleRepository.git("rev-parse", w.branch())).isEqualTo(sampleRepository.git("rev-parse", "main"));
        assertThat(inside.git("rev-parse", "HEAD")).isEqualTo(head);
        assertThat(inside.git("rev-parse", "--abbrev-ref", "HEAD")).isEqualTo("HEAD");
        assertThat(inside.read("a.txt")).isEqualTo("dirty\n");
    }

    @Test
    void an_older_checkpoint_can_be_restored_by_its_number() {
        inside.write("a.txt", "first\n");
        worktrees.checkpoint(w, "one", SampleRepository.NOW);
        inside.write("a.txt", "second\n");
        worktrees.checkpoint(w, "two", SampleRepository.NOW);

        var copy = worktrees.restore(w, sampleRepository.room.resolve("copy"), sampleRepository.kept, Optional.of(1));

        assertThat(sampleRepository.at(copy).read("a.txt")).isEqualTo("first\n");
        assertThat(inside.read("a.txt")).isEqualTo("second\n");
        assertThatThrownBy(() -> worktrees.restore(
                        w, sampleRepository.room.resolve("none"), sampleRepository.kept, Optional.of(9)))
                .isInstanceOfSatisfying(Refusal.class, e -> assertThat(e.code()).isEqualTo("no_checkpoint"));
    }

    @Test
    void a_restore_over_existing_files_is_refused() {
        worktrees.checkpoint(w, "one", SampleRepository.NOW);
        inside.write("later", "later");

        assertThatThrownBy(this::restore)
                .isInstanceOfSatisfying(Refusal.class, e -> assertThat(e.code()).isEqualTo("not_empty"));
        assertThat(inside.read("later")).isEqualTo("later");
    }
}
