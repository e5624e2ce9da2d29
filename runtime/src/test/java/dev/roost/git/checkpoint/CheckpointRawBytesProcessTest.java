package dev.roost.git.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.git.GitPath;
import dev.roost.git.SampleRepository;
import dev.roost.git.worktree.testing.WorktreeFixture;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.nio.file.attribute.PosixFilePermission;
import java.util.Optional;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.Test;

/** A checkpoint holds the raw bytes of every file, whatever attributes, filters and settings the repository has. */
class CheckpointRawBytesProcessTest extends WorktreeFixture {

    private Checkpoint checkpoint() {
        return worktrees.checkpoint(w, "test", SampleRepository.NOW);
    }

    /** Makes a checkpoint and checks that a copy restored from it has exactly the files of the worktree. */
    private Checkpoint assertKept() {
        var files = inside.files();
        var c = checkpoint();
        var copy = worktrees.restore(
                w, sampleRepository.room.resolve("copy-" + c.n()), sampleRepository.kept, Optional.of(c.n()));
        assertThat(sampleRepository.at(copy).files()).isEqualTo(files);
        return c;
    }

    private String message(Checkpoint c) {
        return sampleRepository.git("log", "-1", "--format=%B", c.ref());
    }

    private void writeFileWithRefusedLineEnds() {
        sampleRepository.git("config", "core.autocrlf", "true");
        sampleRepository.git("config", "core.safecrlf", "true");
        w = sampleRepository.make();
        inside = sampleRepository.at(w.path());
        inside.write("only-lf.txt", "one\ntwo\n");
    }

    private void writeFileWithUnknownEncoding() {
        inside.write(".gitattributes", "*.odd working-tree-encoding=NO-SUCH\n*.gone filter=gone\n");
        inside.write("x.odd", new byte[] {0, (byte) 0xff, 10, 13});
    }

    private void writeFileWithMissingFilter() {
        sampleRepository.git("config", "filter.gone.clean", "/no/such/program");
        sampleRepository.git("config", "filter.gone.required", "true");
        inside.write(".gitattributes", "*.odd working-tree-encoding=NO-SUCH\n*.gone filter=gone\n");
        inside.write("x.gone", "as it is\n");
    }

    /** Adds a file to the index and deletes its blob from the repository. */
    private void loseObjectOf(String name) throws IOException {
        inside.write(name, "staged in " + name + "\n");
        inside.git("add", name);
        var oid = inside.git("rev-parse", ":" + name);
        Files.delete(w.common().resolve("objects/" + oid.substring(0, 2) + "/" + oid.substring(2)));
    }

    private void replaceDirectoryByForbiddenLink() throws IOException {
        sampleRepository.git("config", "core.symlinks", "false");
        Files.delete(w.path().resolve("src/b.txt"));
        Files.delete(w.path().resolve("src"));
        Files.createSymbolicLink(w.path().resolve("src"), Path.of("../some/where/"));
    }

    @Test
    void files_with_line_ends_that_git_refuses_are_kept() {
        writeFileWithRefusedLineEnds();
        assertThat(message(assertKept())).contains("Roost-Special: only-lf.txt line_ends");
    }

    @Test
    void a_file_with_an_unknown_encoding_is_kept() {
        writeFileWithUnknownEncoding();
        assertThat(message(assertKept())).contains("Roost-Special: x.odd encoding");
    }

    @Test
    void a_file_whose_required_filter_has_no_program_is_kept() {
        writeFileWithMissingFilter();
        var c = assertKept();
        assertThat(message(c)).contains("Roost-Special: x.gone filter");
        assertThat(sampleRepository.git("show", c.ref() + ":x.gone")).isEqualTo("as it is");
    }

    @Test
    void files_are_kept_if_the_index_names_lost_objects() throws IOException {
        loseObjectOf("same.txt");
        loseObjectOf("changed.txt");
        inside.write("changed.txt", "changed since\n");
        loseObjectOf("deleted.txt");
        Files.delete(w.path().resolve("deleted.txt"));
        inside.write("other.txt", "other\n");

        var c = assertKept();

        assertThat(sampleRepository.git("show", c.ref() + ":changed.txt")).isEqualTo("changed since");
        assertThat(message(c))
                .contains("Roost-Special: changed.txt lost_object", "Roost-Special: deleted.txt lost_object");
        assertThat(message(c)).as("its file has the same bytes").doesNotContain("same.txt");
        assertThat(worktrees.latest(w).orElseThrow().special())
                .containsExactlyInAnyOrder(
                        new SpecialFile("changed.txt", SpecialFile.SpecialReason.LOST_OBJECT),
                        new SpecialFile("deleted.txt", SpecialFile.SpecialReason.LOST_OBJECT));
    }

    @Test
    void a_file_is_kept_if_a_cached_tree_of_the_index_names_a_lost_object() throws IOException {
        loseObjectOf("src/new.txt");
        inside.write("src/new.txt", "staged in src/new.txt\n");
        inside.git("add", "--renormalize", "src/new.txt");
        inside.git("write-tree");
        Files.delete(w.common()
                .resolve("objects/" + inside.git("rev-parse", ":src/new.txt").replaceFirst("^(..)", "$1/")));
        inside.write("src/new.txt", "changed since\n");
        assertKept();
    }

    @Test
    void symlinks_are_kept_if_core_symlinks_is_off() throws IOException {
        replaceDirectoryByForbiddenLink();
        var c = assertKept();
        assertThat(sampleRepository.git("ls-tree", c.ref(), "src")).startsWith("120000 ");
        assertThat(message(c)).contains("Roost-Special: src link");
    }

    @Test
    void objects_that_a_partial_clone_has_not_fetched_do_not_count_as_lost() {
        sampleRepository.git("config", "uploadpack.allowFilter", "true");
        sampleRepository.git(
                "clone", "-q", "--filter=blob:none", "--sparse", "file://" + sampleRepository.top, "../partial");
        sampleRepository = sampleRepository.at(sampleRepository.room.resolve("partial"));
        w = sampleRepository.make();
        inside = sampleRepository.at(w.path());
        assertThat(w.path().resolve("src")).doesNotExist();
        inside.write("a.txt", "changed\n");
        inside.git("add", "a.txt");

        var c = checkpoint();

        assertThat(sampleRepository.git("ls-tree", "-r", "--name-only", c.ref()))
                .isEqualTo("a.txt\nsrc/b.txt\ntool.sh");
        assertThat(sampleRepository.git("rev-list", "--objects", "--missing=print", c.ref()))
                .contains("?");
        assertThat(c.special()).isEmpty();
    }

    @Test
    void a_shared_repository_stays_writable_for_its_group() throws IOException {
        sampleRepository.git("config", "core.sharedRepository", "group");
        var before = objectDirectories();
        for (int i = 0; i < 30; i++) inside.write("file-" + i, "content " + i + "\n");

        assertKept();

        var made = objectDirectories();
        made.removeAll(before);
        assertThat(made)
                .isNotEmpty()
                .allSatisfy(directory ->
                        assertThat(Files.getPosixFilePermissions(directory)).contains(PosixFilePermission.GROUP_WRITE));
    }

    private Set<Path> objectDirectories() throws IOException {
        try (var all = Files.list(w.common().resolve("objects"))) {
            return all.collect(Collectors.toCollection(TreeSet::new));
        }
    }

    @Test
    void a_checkpoint_omits_only_files_whose_names_git_refuses() {
        inside.write("git~1", "short\n").write(".GIT/x", "upper case\n").write("plain", "plain\n");
        var c = checkpoint();
        assertThat(sampleRepository.git("show", c.ref() + ":plain")).isEqualTo("plain");
        assertThat(sampleRepository.git("show", c.ref() + ":git~1")).isEqualTo("short");
        assertThat(c.omitted())
                .containsExactly(new OmittedFile(
                        new GitPath(".GIT/x"), OmittedFile.OmissionReason.NAME, "upper case\n".length()));
    }

    @Test
    void files_are_kept_if_all_these_problems_occur_at_once() throws IOException {
        writeFileWithRefusedLineEnds();
        inside.write("a.txt", "one\r\ntwo\n").write("plain.txt", "plain\n");
        w.path().resolve("plain.txt").toFile().setExecutable(true);
        sampleRepository.git("config", "core.safecrlf", "false");
        loseObjectOf("staged.txt");
        sampleRepository.git("config", "core.safecrlf", "true");
        inside.write("staged.txt", "changed since\n");
        writeFileWithUnknownEncoding();
        writeFileWithMissingFilter();
        replaceDirectoryByForbiddenLink();

        var c = assertKept();

        assertThat(sampleRepository.git("ls-tree", c.ref(), "plain.txt")).startsWith("100755 ");
        assertThat(message(c)).contains(" line_ends", " encoding", " filter", " lost_object", " link");
        assertThat(checkpoint().isNew()).isFalse();
    }

    @Test
    void a_checkpoint_runs_no_filter() throws IOException {
        var ran = sampleRepository.room.resolve("ran");
        sampleRepository.write(".gitattributes", "*.spied filter=spy\n").write("old.spied", "old\n");
        sampleRepository.commit("spied");
        sampleRepository.git("config", "filter.spy.clean", "touch %s; cat".formatted(ran));
        w = sampleRepository.make();
        inside = sampleRepository.at(w.path());
        Files.deleteIfExists(ran);
        inside.write("old.spied", "new\n").write("new.spied", "new\n");

        var c = checkpoint();

        assertThat(ran).doesNotExist();
        assertThat(sampleRepository.git("show", c.ref() + ":old.spied")).isEqualTo("new");
    }

    @Test
    void files_unchanged_since_the_checkout_are_not_stored_twice() {
        sampleRepository.git("config", "core.autocrlf", "true");
        sampleRepository.git("config", "filter.shout.clean", "tr a-z A-Z");
        sampleRepository.git("config", "filter.shout.smudge", "tr A-Z a-z");
        sampleRepository.write(".gitattributes", "*.shout filter=shout\n").write("x.shout", "QUIET\n");
        sampleRepository.commit("shout");
        w = sampleRepository.make();
        inside = sampleRepository.at(w.path());
        assertThat(inside.read("x.shout")).isEqualTo("quiet\r\n");

        var c = assertKept();

        assertThat(sampleRepository.git("rev-parse", c.ref() + "^{tree}"))
                .isEqualTo(sampleRepository.git("rev-parse", "HEAD^{tree}"));
        assertThat(message(c)).doesNotContain("Roost-Raw");
    }

    @Test
    void attributes_that_an_agent_adds_change_no_byte_of_other_files() {
        inside.write(".gitattributes", "* text eol=crlf\n*.wide working-tree-encoding=UTF-16LE\n");
        inside.write("new.txt", "lf\n").write("z.wide", "wide\n".getBytes(StandardCharsets.UTF_16LE));
        assertKept();
        inside.commit("with attributes");
        assertKept();
    }
}
