package dev.roost.git.checkpoint;

import static org.assertj.core.api.Assertions.assertThat;

import dev.roost.git.SampleRepository;
import dev.roost.git.worktree.testing.WorktreeFixture;
import java.io.IOException;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Optional;
import org.junit.jupiter.api.Test;

/** No file, attribute or setting of a repository keeps a checkpoint from holding all other files, byte for byte. */
class CheckpointRawBytesProcessTest extends WorktreeFixture {

    private Checkpoint checkpoint() {
        return worktrees.checkpoint(w, "test", SampleRepository.NOW);
    }

    /** A checkpoint of the worktree, whose copy has exactly the worktree's files. */
    private Checkpoint assertKept() {
        var files = inside.files();
        var c = checkpoint();
        var copy = worktrees.restore(
                w, sampleRepository.room.resolve("copy-" + c.n()), sampleRepository.kept, Optional.of(c.n()));
        assertThat(sampleRepository.at(copy).files()).isEqualTo(files);
        return c;
    }

    private String note(Checkpoint c) {
        return sampleRepository.git("log", "-1", "--format=%B", c.ref());
    }

    private void refuseLineEnds() {
        sampleRepository.git("config", "core.autocrlf", "true");
        sampleRepository.git("config", "core.safecrlf", "true");
        w = sampleRepository.make();
        inside = sampleRepository.at(w.path());
        inside.write("only-lf.txt", "one\ntwo\n");
    }

    private void unknownEncoding() {
        inside.write(".gitattributes", "*.odd working-tree-encoding=NO-SUCH\n*.gone filter=gone\n");
        inside.write("x.odd", new byte[] {0, (byte) 0xff, 10, 13});
    }

    private void missingFilter() {
        sampleRepository.git("config", "filter.gone.clean", "/no/such/program");
        sampleRepository.git("config", "filter.gone.required", "true");
        inside.write(".gitattributes", "*.odd working-tree-encoding=NO-SUCH\n*.gone filter=gone\n");
        inside.write("x.gone", "as it is\n");
    }

    /** The index has a file whose blob is not in the repository; the file itself has other bytes by now, or none. */
    private void prunedObject(String name) throws IOException {
        inside.write(name, "staged in " + name + "\n");
        inside.git("add", name);
        var oid = inside.git("rev-parse", ":" + name);
        Files.delete(w.common().resolve("objects/" + oid.substring(0, 2) + "/" + oid.substring(2)));
    }

    private void noLinks() throws IOException {
        sampleRepository.git("config", "core.symlinks", "false");
        Files.delete(w.path().resolve("src/b.txt"));
        Files.delete(w.path().resolve("src"));
        Files.createSymbolicLink(w.path().resolve("src"), Path.of("../some/where/"));
    }

    @Test
    void line_ends_that_git_refuses() {
        refuseLineEnds();
        assertThat(note(assertKept())).contains("Roost-Special: only-lf.txt line_ends");
    }

    @Test
    void an_encoding_that_nobody_knows() {
        unknownEncoding();
        assertThat(note(assertKept())).contains("Roost-Special: x.odd encoding");
    }

    @Test
    void a_required_filter_without_its_program() {
        missingFilter();
        var c = assertKept();
        assertThat(note(c)).contains("Roost-Special: x.gone filter");
        assertThat(sampleRepository.git("show", c.ref() + ":x.gone")).isEqualTo("as it is");
    }

    @Test
    void an_index_that_names_an_object_which_is_gone() throws IOException {
        prunedObject("same.txt");
        prunedObject("changed.txt");
        inside.write("changed.txt", "changed since\n");
        prunedObject("deleted.txt");
        Files.delete(w.path().resolve("deleted.txt"));
        inside.write("other.txt", "other\n");

        var c = assertKept();

        assertThat(sampleRepository.git("show", c.ref() + ":changed.txt")).isEqualTo("changed since");
        assertThat(note(c))
                .contains("Roost-Special: changed.txt lost_object", "Roost-Special: deleted.txt lost_object");
        assertThat(note(c)).as("its file has the same bytes").doesNotContain("same.txt");
        assertThat(worktrees.latest(w).orElseThrow().special())
                .containsExactlyInAnyOrder(
                        new SpecialFile("changed.txt", SpecialFile.SpecialReason.LOST_OBJECT),
                        new SpecialFile("deleted.txt", SpecialFile.SpecialReason.LOST_OBJECT));
    }

    @Test
    void an_object_that_a_tree_of_the_index_names_and_that_is_gone() throws IOException {
        prunedObject("src/new.txt");
        inside.write("src/new.txt", "staged in src/new.txt\n");
        inside.git("add", "--renormalize", "src/new.txt");
        inside.git("write-tree");
        Files.delete(w.common()
                .resolve("objects/" + inside.git("rev-parse", ":src/new.txt").replaceFirst("^(..)", "$1/")));
        inside.write("src/new.txt", "changed since\n");
        assertKept();
    }

    @Test
    void links_where_git_is_told_that_there_are_none() throws IOException {
        noLinks();
        var c = assertKept();
        assertThat(sampleRepository.git("ls-tree", c.ref(), "src")).startsWith("120000 ");
        assertThat(note(c)).contains("Roost-Special: src link");
    }

    @Test
    void objects_that_a_partial_clone_has_not_fetched_are_not_lost() {
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
    void names_that_git_refuses() {
        inside.write("git~1", "short\n").write(".GIT/x", "upper case\n").write("plain", "plain\n");
        var c = checkpoint();
        assertThat(sampleRepository.git("show", c.ref() + ":plain")).isEqualTo("plain");
        assertThat(sampleRepository.git("show", c.ref() + ":git~1")).isEqualTo("short");
        assertThat(c.omitted())
                .containsExactly(new OmittedFile(".GIT/x", OmittedFile.OmissionReason.NAME, "upper case\n".length()));
    }

    @Test
    void all_of_them_at_once() throws IOException {
        refuseLineEnds();
        inside.write("a.txt", "one\r\ntwo\n").write("plain.txt", "plain\n");
        w.path().resolve("plain.txt").toFile().setExecutable(true);
        sampleRepository.git("config", "core.safecrlf", "false");
        prunedObject("staged.txt");
        sampleRepository.git("config", "core.safecrlf", "true");
        inside.write("staged.txt", "changed since\n");
        unknownEncoding();
        missingFilter();
        noLinks();

        var c = assertKept();

        assertThat(sampleRepository.git("ls-tree", c.ref(), "plain.txt")).startsWith("100755 ");
        assertThat(note(c)).contains(" line_ends", " encoding", " filter", " lost_object", " link");
        assertThat(checkpoint().isNew()).isFalse();
    }

    @Test
    void a_filter_is_never_run() throws IOException {
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
    void files_that_are_as_git_wrote_them_are_not_kept_twice() {
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
        assertThat(note(c)).doesNotContain("Roost-Raw");
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
